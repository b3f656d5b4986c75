// The reference is whole without this script. It searches for `?q=` and while you type, without a request.

const form = document.querySelector('.find');
const input = form.querySelector('[type="search"]');
const found = document.getElementById('found');
const nothing = document.getElementById('nothing');
const parts = [...document.querySelectorAll('[data-words]')];
const groups = [...document.querySelectorAll('.group')];
const before = found.innerHTML;

/** Hides the links of the contents whose sections are hidden. */
const filterContents = () => {
  for (const link of document.querySelectorAll('.contents ul ul a, .overview a')) {
    const target = document.getElementById(link.hash.slice(1));
    link.parentElement.hidden = target?.hidden === true;
  }
  for (const group of groups) {
    group.hidden = [...group.querySelectorAll('[data-words]')].every((part) => part.hidden);
    const link = document.querySelector(`.contents a[href="#${group.id}"]`);
    if (link) link.parentElement.hidden = group.hidden;
  }
};

const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

const search = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const part of parts) part.hidden = !words.every((word) => part.dataset.words.includes(word));
  for (const part of document.querySelectorAll('#start, #credentials, #answers')) part.hidden = words.length > 0;
  filterContents();
  const shown = parts.filter((part) => !part.hidden);
  const codes = shown.filter((part) => part.classList.contains('code')).length;
  nothing.hidden = shown.length > 0;
  if (words.length === 0) found.innerHTML = before;
  else found.textContent = `${count(shown.length - codes, 'operation')}, ${count(codes, 'code')}`;
};

/** A link to a section must arrive, whatever the search hides. */
const arrive = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.closest('[hidden]')) return;
  input.value = '';
  search();
  target.scrollIntoView();
};

input.addEventListener('input', search);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  search();
  parts.find((part) => !part.hidden)?.scrollIntoView();
});
addEventListener('hashchange', arrive);

const asked = new URLSearchParams(location.search).get('q');
if (asked !== null) input.value = asked.slice(0, input.maxLength);
if (input.value !== '') search();
arrive();
