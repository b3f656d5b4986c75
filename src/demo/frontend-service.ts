import { html, type Service } from './service.ts';

/** Needs nothing from elsewhere and runs no script, so that a browser finds no fault in a healthy demo. */
const toPage = (script: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <link rel="icon" href="data:," />
    <title>Subnet blockchain</title>
  </head>
  <body>
    <div id="root">
      <h1>Subnet blockchain</h1>
      <p>This is the simulated explorer of the subnetd demo.</p>
    </div>${script}
  </body>
</html>
`;

/** What the real page does when the stats server has no block yet, as recorded. */
const BROKEN = `
    <script>console.error("Failed to load blocks data"); undefined.number;</script>`;

/** The explorer's HTTP: it is served as a single page, so each path is the same index.html (vercel/serve -s). */
export const frontendService: Service = (_request, _subnet, { consoleError }) =>
  html(toPage(consoleError ? BROKEN : ''));
