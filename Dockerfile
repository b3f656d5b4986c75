# docker build --build-arg COMMIT="$(git rev-parse HEAD)" --tag subnetd .
# docker run --read-only --publish 127.0.0.1:10545:10545 --volume "$PWD/config:/etc/subnetd:ro" \
#   --volume subnetd-data:/var/lib/subnetd subnetd

# The program is built of the sources apart, as only that needs the development packages.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /opt/subnetd
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
COPY src src
COPY scripts/build.ts scripts/built-in.ts scripts/
RUN node scripts/build.ts

# A change of the source keeps the layer of the libraries.
FROM node:26.10.0-bookworm-slim
WORKDIR /opt/subnetd

# Node runs no TypeScript that lies under node_modules, nor does it look at source maps; without both, and the compiler that
# libraries name as a peer, a third of the files is left. No library needs its install script: those with a binary bring it.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --cache /tmp/npm \
    && rm -rf /tmp/npm node_modules/typescript node_modules/@typescript node_modules/.bin/tsc \
    && find node_modules -type f '(' -name '*.ts' -o -name '*.[cm]ts' -o -name '*.map' ')' -exec rm '{}' + \
    && ln -s /opt/subnetd/bin/subnetd /usr/local/bin/subnetd \
    && mkdir /etc/subnetd /var/lib/subnetd \
    && chown node:node /var/lib/subnetd && chmod 0700 /var/lib/subnetd

COPY LICENSE ./
COPY bin bin
COPY src src
COPY --from=build /opt/subnetd/.cache .cache
COPY docs/alerts docs/alerts
COPY grafana/dashboards grafana/dashboards
COPY scripts/warm.ts scripts/

# Fills the cache of compiled code. Node keeps that apart for each user, so it is the user of the image who runs this, and
# then gives it up, so that nothing that runs later can change what it runs.
RUN mkdir -p node_modules/.cache/subnetd \
    && chown node node_modules/.cache/subnetd \
    && su -s /bin/sh node -c 'NODE_COMPILE_CACHE=/opt/subnetd/node_modules/.cache/subnetd node scripts/warm.ts \
      && bin/subnetd version' \
    && rm -r scripts \
    && chown -R root:root node_modules/.cache && chmod -R a+rX node_modules/.cache

ARG COMMIT=unknown
RUN echo "$COMMIT" > COMMIT

# The inventory is read from /etc/subnetd. subnetd writes to /var/lib/subnetd only; mount a volume there.
ENV NODE_ENV=production \
    SUBNETD_CONFIG=/etc/subnetd/subnetd.yaml \
    SUBNETD_LISTEN=0.0.0.0:10545
USER node
WORKDIR /var/lib/subnetd
EXPOSE 10545
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["subnetd", "health"]
ENTRYPOINT ["subnetd"]
CMD ["run"]
