// Everything on a page is there without this script. It adds copy buttons, times that run and are of the reader's zone, the choice
// of colours, and the stream of changes.

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

const twoDigits = (value) => String(value).padStart(2, '0');

/**
 * A moment in the zone of the reader: with the day if that is not today's, but on the axis of a chart, and with seconds where the page has
 * them. UTC is its title.
 */
const toLocal = (root) => {
  for (const time of root.querySelectorAll('time:not(.ago), [data-at]')) {
    const at = new Date(time.dateTime ?? time.dataset.at);
    const clock = [at.getHours(), at.getMinutes(), ...(/:\d\d:/.test(time.textContent) ? [at.getSeconds()] : [])];
    const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
    const isToday = at.toDateString() === new Date().toDateString();
    const isAlone = isToday || clock.length === 3 || time.dataset.at !== undefined;
    time.textContent = `${isAlone ? '' : `${day} `}${clock.map(twoDigits).join(':')}`;
  }
};

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const isElsewhere = new Date().getTimezoneOffset() !== 0;

/** What the script adds to a page, or to a part of it that is new. */
const enrich = (root) => {
  addCopyButtons(root);
  if (isElsewhere) toLocal(root);
};

enrich(document);
const zone = document.getElementById('zone');
if (isElsewhere && zone)
  zone.textContent = `Times are in ${ZONE}, except those marked UTC. Point at one to see it in UTC`;

const THEMES = { '': 'system', light: 'light', dark: 'dark' };
const themeButton = document.getElementById('theme');
const setTheme = (theme) => {
  document.documentElement.dataset.theme = theme;
  themeButton.textContent = `Theme: ${THEMES[theme] ?? THEMES['']}`;
};
if (themeButton) {
  setTheme(document.documentElement.dataset.theme ?? '');
  themeButton.hidden = false;
  themeButton.addEventListener('click', () => {
    const names = Object.keys(THEMES);
    const next = names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length];
    setTheme(next);
    try {
      localStorage.setItem('theme', next);
    } catch {
      // It holds for this page.
    }
  });
}

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
  const place = focused && [...before.querySelectorAll('a, button, summary, input, select')].indexOf(focused);
  const typed = [...before.querySelectorAll('input:not([type=hidden]), select')].map(({ value, checked }) => ({
    value,
    checked,
  }));
  const template = document.createElement('template');
  template.innerHTML = text;
  const after = template.content.firstElementChild;
  before.replaceWith(after);
  for (const [index, one] of [...after.querySelectorAll('details')].entries()) one.open = open[index] ?? false;
  for (const [index, one] of [...after.querySelectorAll('input:not([type=hidden]), select')].entries()) {
    one.value = typed[index]?.value ?? one.value;
    one.checked = typed[index]?.checked ?? one.checked;
  }
  enrich(after);
  if (focused) [...after.querySelectorAll('a, button, summary, input, select')][place]?.focus();
  return true;
};

/** Makes a change to the page below which what is being read stays where it is: a browser loses its place in what is replaced. */
const keepPlace = (change) => {
  const topOf = (one) => one.getBoundingClientRect().top;
  const isNearer = (one, other) => (Math.abs(topOf(one)) < Math.abs(topOf(other)) ? one : other);
  const read = scrollY > 0 ? [...document.querySelectorAll('main [id]')].reduce(isNearer) : undefined;
  const before = read && topOf(read);
  change();
  const after = read && document.getElementById(read.id);
  if (after) scrollBy({ top: topOf(after) - before, behavior: 'instant' });
};

/** Something comes at least every 15 seconds. */
const SILENT_MS = 45_000;
const AGAIN_MS = 5_000;

let stream;
let lastAt = Date.now();
let openedAt = 0;
/** When the subnetd that made the page was started. */
let madeBy;

const show = ({ at, title, icon, startedAt, parts }) => {
  lastAt = Date.now();
  madeBy ??= startedAt;
  // One that was started since may be an upgrade, with other styles and another script.
  if (startedAt !== madeBy) location.reload();
  document.title = title;
  const link = document.querySelector('link[rel="icon"]');
  if (link.href !== icon) link.href = icon;
  keepPlace(() => {
    for (const [id, text] of Object.entries(parts)) if (!replace(id, text)) location.reload();
  });
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
