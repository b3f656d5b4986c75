import { html } from 'hono/html';
import { page } from './page.ts';
import type { Status } from './to-status.ts';

const LINKS = [
  ['/metrics', 'metrics for Prometheus'],
  ['/status.json', 'every verdict with its reason, as JSON'],
  ['/alerts', 'every alert: what it means and what to do'],
  ['/livez', 'is subnetd alive'],
  ['/readyz', 'has every check run once'],
] as const;

const REFRESH_SECONDS = 10;

type Problem = Status['subnets'][number]['problems'][number];

/** Backticks mark what to type. */
const withCommands = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

const problemItem = ({ severity, state, since, summary, evidence, fix, runbook }: Problem) => html`
      <li><strong>${summary}</strong> (${severity}, ${state} since ${since.slice(0, 19)}Z): ${evidence}. To do: ${withCommands(fix)}.
        <a href="${runbook}">What it means</a></li>`;

/** The page at `/`: what is wrong and why, links, and every verdict of this moment. */
export const landingPage = ({ subnets }: Status, version: string) =>
  page(
    'subnetd',
    html`<h1>subnetd</h1>
    <p>Version ${version}.</p>
    <ul>
      ${LINKS.map(([path, what]) => html`<li><a href="${path}">${path}</a>: ${what}</li>`)}
    </ul>
    ${subnets.map(
      ({ name, targets, problems }) => html`<h2>${name}</h2>
    ${problems.length === 0 ? html`<p>No problem is known.</p>` : html`<ul>${problems.map(problemItem)}</ul>`}
    <table>
      <thead><tr><th scope="col">Target</th><th scope="col">Check</th><th scope="col">Verdict</th><th scope="col">Reason</th></tr></thead>
      <tbody>${targets.map((target) =>
        target.checks.map(
          ({ check, verdict, reason }) => html`
        <tr><td>${target.name}</td><td>${check}</td><td class="${verdict}">${verdict}</td><td>${reason}</td></tr>`,
        ),
      )}
      </tbody>
    </table>`,
    )}`,
    REFRESH_SECONDS,
  );
