// Sends one request of the API. The credential is in its field and nowhere else: no storage, no address of a page.

const form = document.getElementById('request');
const { method, path } = form.dataset;
const credential = document.getElementById('credential');
const body = document.getElementById('body');
const outcome = document.getElementById('outcome');
const about = document.getElementById('about');
const shown = document.getElementById('answer');
const keep = document.getElementById('keep');

const get = (place) => [...form.querySelectorAll(`[data-place="${place}"]`)];

/** The request as `fetch` takes it. A key goes into its header: addresses are kept in more places. */
const toRequest = () => {
  const url = new URL(location.origin);
  url.pathname = get('path').reduce(
    (whole, { dataset, value }) => whole.replace(`{${dataset.name}}`, () => encodeURIComponent(value)),
    path,
  );
  for (const { dataset, value } of get('query')) if (value !== '') url.searchParams.set(dataset.name, value);
  const headers = new Headers();
  const sent = credential.value.trim();
  if (sent.startsWith('subnetd_')) headers.set('x-api-key', sent);
  else if (sent !== '') headers.set('authorization', `Bearer ${sent}`);
  if (body) headers.set('content-type', 'application/json');
  const options = { method, headers, credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' };
  const files = get('form');
  if (files.length > 0) {
    const sent = new FormData();
    for (const { dataset, files: chosen } of files) if (chosen.length > 0) sent.set(dataset.name, chosen[0]);
    return [url, { ...options, body: sent }];
  }
  return [url, { ...options, ...(body && { body: body.value }) }];
};

const show = (text, isWell) => {
  outcome.textContent = text;
  outcome.className = isWell ? 'ok' : 'bad';
};

const showAnswer = (status, ms, requestId, text) => {
  let answer = {};
  let printed = text;
  try {
    answer = JSON.parse(text);
    printed = JSON.stringify(answer, null, 2);
  } catch {}
  const code = answer.appErrorCode;
  const words = code === undefined ? 'Success' : `Failed with the code ${code}`;
  show(`${words}: HTTP ${status}, ${ms} ms, request ${requestId ?? 'without an id'}`, code === undefined);
  about.hidden = code === undefined;
  about.firstElementChild.hash = `code-${code}`;
  shown.hidden = false;
  shown.textContent = printed;
  const token = answer.data?.token;
  keep.hidden = typeof token !== 'string';
  keep.onclick = () => {
    credential.value = token;
    keep.hidden = true;
    credential.focus();
  };
};

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  about.hidden = true;
  keep.hidden = true;
  const started = performance.now();
  try {
    const response = await fetch(...toRequest());
    const text = await response.text();
    showAnswer(response.status, Math.round(performance.now() - started), response.headers.get('x-request-id'), text);
  } catch {
    shown.hidden = true;
    show('No answer: the daemon is not reached, or broke off. Try again.', false);
  }
});

form.querySelector('fieldset').disabled = false;
// A page from the memory of the browser comes with what was typed and shown.
addEventListener('pagehide', () => {
  form.reset();
  shown.textContent = '';
  shown.hidden = true;
  about.hidden = true;
  keep.hidden = true;
  keep.onclick = null;
  outcome.textContent = 'Nothing has been sent yet.';
  outcome.className = 'dim';
});
const choice = document.getElementById('operation');
choice.addEventListener('change', () => choice.form.requestSubmit());
