import { html, type Service } from './service.ts';

/** Needs nothing from elsewhere and runs no script, so that a browser finds no fault in a healthy demo. */
const INDEX = `<!DOCTYPE html>
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
    </div>
  </body>
</html>
`;

/** The explorer's HTTP: it is served as a single page, so each path is the same index.html (vercel/serve -s). */
export const frontendService: Service = () => html(INDEX);
