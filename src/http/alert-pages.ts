import { html, raw } from 'hono/html';
import { Marked } from 'marked';
import { alertRules } from '../alerts/alert-rules.ts';
import { findAlert } from '../alerts/find-alert.ts';
import { plainWords } from '../alerts/plain-words.ts';
import { readRunbook } from '../alerts/read-runbook.ts';
import { STYLE_PATH } from './page-style.ts';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Pages link to each other as files, so that they work without a server. HTML in them is shown as text. */
const marked = new Marked({
  walkTokens: (token) => {
    if (token.type === 'link') token.href = token.href.replace(/\.md$/, '');
  },
  renderer: { html: ({ text }) => escapeHtml(text) },
});

const page = (title: string, body: unknown) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title} - subnetd</title>
    <link rel="stylesheet" href="${STYLE_PATH}">
  </head>
  <body>
    ${body}
  </body>
</html>
`;

const list = html`<table>
      <thead><tr><th scope="col">Alert</th><th scope="col">Severity</th><th scope="col">What</th></tr></thead>
      <tbody>${alertRules.map(
        ({ name, severity, summary }) => html`
        <tr><td><a href="/alerts/${name}">${name}</a></td><td>${severity}</td><td>${plainWords(summary)}</td></tr>`,
      )}
      </tbody>
    </table>`;

/** The page at `/alerts`. */
export const alertList = () =>
  page(
    'Alerts',
    html`<h1>Alerts</h1>
    <p><a href="/">subnetd</a></p>
    ${list}`,
  );

/** The page of an alert. If no alert has that name, `found` is false and the page lists all alerts. */
export async function alertPage(
  name: string,
): Promise<{ readonly found: boolean; readonly body: ReturnType<typeof page> }> {
  const alert = findAlert(name);
  if ('near' in alert)
    return {
      found: false,
      body: page(
        'No such alert',
        html`<h1>There is no alert of that name</h1>
    <p>${alert.near.length > 0 ? html`Did you mean ${alert.near.map((near) => html`<a href="/alerts/${near}">${near}</a> `)}?` : 'These are all.'}</p>
    ${list}`,
      ),
    };
  const text = await marked.parse(await readRunbook(alert.rule));
  const { severity } = alert.rule;
  return {
    found: true,
    body: page(
      alert.rule.name,
      html`<p><a href="/">subnetd</a> / <a href="/alerts">alerts</a> / ${severity}</p>
    ${raw(text)}`,
    ),
  };
}
