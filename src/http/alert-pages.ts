import { html, raw } from 'hono/html';
import { Marked } from 'marked';
import { alertRules } from '../alerts/alert-rules.ts';
import { fillRunbook, toTargetFacts } from '../alerts/fill-runbook.ts';
import { findAlert } from '../alerts/find-alert.ts';
import { plainWords, readRunbook } from '../alerts/read-runbook.ts';
import type { Target } from '../model/target.ts';
import { page } from './page.ts';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Pages link to each other as files, so that they work without a server. HTML in them is shown as text. */
const marked = new Marked({
  walkTokens: (token) => {
    if (token.type === 'link') token.href = token.href.replace(/\.md$/, '');
  },
  renderer: { html: ({ text }) => escapeHtml(text) },
});

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
    'Alerts - subnetd',
    html`<h1>Alerts</h1>
    <p><a href="/">subnetd</a></p>
    ${list}`,
  );

/** The target that an alert is about, as its link names it, and what the inventory has under these names. */
export interface AlertSubject {
  readonly subnet: string;
  readonly name?: string;
  readonly target: Target | undefined;
}

function describeSubject({ subnet, name, target }: AlertSubject) {
  if (name === undefined) return html`<p>This alert is about the subnet <b>${subnet}</b>.</p>`;
  if (target === undefined)
    return html`<p>The inventory has no <b>${name}</b> in a subnet <b>${subnet}</b>, so the commands below are examples.</p>`;
  const { container, address, ipc, logFiles } = toTargetFacts(target);
  const rows = Object.entries({
    Container: container,
    Address: address,
    IPC: ipc,
    Log: logFiles.join(' ') || undefined,
  });
  return html`<p>This alert is about the ${target.component} <b>${name}</b> of the subnet <b>${subnet}</b>.
    The commands below name it where the inventory says enough.</p>
    <table><tbody>${rows.map(([what, value]) =>
      value === undefined
        ? ''
        : html`
        <tr><th scope="row">${what}</th><td><code>${value}</code></td></tr>`,
    )}
    </tbody></table>`;
}

/**
 * The page of an alert, for its subject if the link names one. If no alert has that name, `found` is false and the page
 * lists all alerts.
 */
export async function alertPage(
  name: string,
  subject?: AlertSubject,
): Promise<{ readonly found: boolean; readonly body: ReturnType<typeof page> }> {
  const alert = findAlert(name);
  if ('near' in alert)
    return {
      found: false,
      body: page(
        'No such alert - subnetd',
        html`<h1>There is no alert of that name</h1>
    <p>${alert.near.length > 0 ? html`Did you mean ${alert.near.map((near) => html`<a href="/alerts/${near}">${near}</a> `)}?` : 'These are all.'}</p>
    ${list}`,
      ),
    };
  const runbook = await readRunbook(alert.rule);
  const text = await marked.parse(subject?.target === undefined ? runbook : fillRunbook(runbook, subject.target));
  const { severity } = alert.rule;
  return {
    found: true,
    body: page(
      `${alert.rule.name} - subnetd`,
      html`<p><a href="/">subnetd</a> / <a href="/alerts">alerts</a> / ${severity}</p>
    ${subject === undefined ? '' : describeSubject(subject)}
    ${raw(text)}`,
    ),
  };
}
