import { html } from 'hono/html';
import type { Status } from './to-status.ts';

const LINKS = [
  ['/metrics', 'metrics for Prometheus'],
  ['/status.json', 'every verdict with its reason, as JSON'],
  ['/livez', 'is subnetd alive'],
  ['/readyz', 'has it looked at everything once'],
] as const;

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1a1a1a; background: #fff }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #ddd }
  .pass { color: #11632d } .degraded { color: #7a4b00 } .fail { color: #b00020; font-weight: 600 } .unknown, .skipped { color: #595959 }
  @media (prefers-color-scheme: dark) {
    body { color: #e8e8e8; background: #161616 } th, td { border-color: #3a3a3a } a { color: #8ab4f8 }
    .pass { color: #6fd08c } .degraded { color: #f0b357 } .fail { color: #ff8a8a } .unknown, .skipped { color: #a8a8a8 }
  }`;

/** The page at `/`: where things are, and how they stand at this moment. */
export const landingPage = ({ subnets }: Status, version: string) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta http-equiv="refresh" content="10">
    <title>subnetd</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <h1>subnetd</h1>
    <p>Version ${version}.</p>
    <ul>
      ${LINKS.map(([path, what]) => html`<li><a href="${path}">${path}</a>: ${what}</li>`)}
    </ul>
    ${subnets.map(
      ({ name, targets }) => html`<h2>${name}</h2>
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
    )}
  </body>
</html>
`;
