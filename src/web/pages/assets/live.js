// Everything on a page is there without this script. It adds copy buttons, times that run, and the stream of changes.

const addCopyButtons = (root) => {
  for (const button of root.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const label = button.querySelector('span');
      const before = label.textContent;
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        label.textContent = 'Copied';
      } catch {
        // Without TLS a browser has no clipboard for us: the command is selected, to be copied by hand.
        getSelection().selectAllChildren(button.previousElementSibling);
        label.textContent = 'Selected';
      }
      setTimeout(() => {
        label.textContent = before;
      }, 2000);
    });
  }
};

/** The same words as the server has for a time that has passed. */
const lasting = (ms) => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
};

const runTimes = () => {
  for (const time of document.querySelectorAll('time.ago'))
    time.textContent = `${lasting(Date.now() - Date.parse(time.dateTime))} ago`;
};

addCopyButtons(document);

const line = document.querySelector('.live[data-stream]');
const word = line?.querySelector('.dot + span');
const stamp = line?.querySelector('time');

const say = (text, isOn) => {
  word.textContent = text;
  line.classList.toggle('on', isOn);
  line.classList.toggle('lost', !isOn);
};

/** The time of the last state comes after it, as how long ago that was. */
const sayLost = () => say(`Not live since ${new Date(stamp.dateTime).toISOString().slice(11, 16)} UTC,`, false);

/** Replaces a part of the page by its id; what was open stays open, and what had the focus keeps it. */
const replace = (id, text) => {
  const before = document.getElementById(id);
  if (before === null) return false;
  const open = [...before.querySelectorAll('details')].map((one) => one.open);
  const focused = before.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && [...before.querySelectorAll('a, button, summary, input')].indexOf(focused);
  const template = document.createElement('template');
  template.innerHTML = text;
  const after = template.content.firstElementChild;
  before.replaceWith(after);
  for (const [index, one] of [...after.querySelectorAll('details')].entries()) one.open = open[index] ?? false;
  addCopyButtons(after);
  if (focused) [...after.querySelectorAll('a, button, summary, input')][place]?.focus();
  return true;
};

/** Something comes at least every 15 seconds. */
const SILENT_MS = 45_000;
const AGAIN_MS = 5_000;

let stream;
let lastAt = Date.now();
let openedAt = 0;

const show = ({ at, title, icon, parts }) => {
  lastAt = Date.now();
  document.title = title;
  const link = document.querySelector('link[rel="icon"]');
  if (link.href !== icon) link.href = icon;
  for (const [id, text] of Object.entries(parts)) if (!replace(id, text)) location.reload();
  stamp.dateTime = at;
  say('Live, updated', true);
  runTimes();
};

const open = () => {
  if (stream !== undefined || document.hidden) return;
  openedAt = Date.now();
  stream = new EventSource(line.dataset.stream);
  stream.addEventListener('parts', (event) => show(JSON.parse(event.data)));
  stream.addEventListener('error', sayLost);
};

const close = () => {
  stream?.close();
  stream = undefined;
};

if (line) {
  open();
  // A browser keeps six connections to a host: a page that nobody sees holds none.
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('pagehide', close);
  setInterval(() => {
    runTimes();
    const now = Date.now();
    if (now - lastAt > SILENT_MS) sayLost();
    // A browser tries no more after an answer that is not a stream, as a proxy gives it, and waits for ever on a network that is gone.
    const isGone = stream?.readyState === EventSource.CLOSED && now - openedAt > AGAIN_MS;
    if (isGone || now - Math.max(lastAt, openedAt) > SILENT_MS) {
      close();
      open();
    }
  }, 1000);
}
