# npm run image
# docker run --read-only --publish 127.0.0.1:10545:10545 --volume "$PWD/config:/etc/subnetd:ro" \
#   --volume subnetd-data:/var/lib/subnetd subnetd

FROM node:26.10.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier

# The package with its libraries. None needs its install script: those with a binary bring it.
COPY . .
ARG COMMIT=unknown
RUN npm pack --silent && mkdir -p /opt/subnetd && tar -xzf subnetd-*.tgz -C /opt/subnetd --strip-components=1 \
    && node scripts/copy-libraries.ts . /opt/subnetd

# Fills the cache of compiled code. Node keeps that apart for each user, so it is the user of the image who runs this.
WORKDIR /opt/subnetd
RUN mkdir scripts && cp /build/scripts/warm.ts scripts/ \
    && mkdir -p node_modules/.cache/subnetd && chown node node_modules/.cache/subnetd \
    && su -s /bin/sh node -c 'NODE_COMPILE_CACHE=/opt/subnetd/node_modules/.cache/subnetd node scripts/warm.ts \
      && bin/subnetd version' \
    && rm -r scripts

# What the image takes: Node.js, with the one library of it that Debian's smallest image lacks, the libraries, the program. All belongs
# to root, and no file tells when it was made, so what has not changed is the same layer in the next image. Only V8 compiles the same code
# into other bytes each time, which lie apart.
RUN mkdir -p /image/node/usr/local/bin /image/node/usr/lib /image/libraries/opt/subnetd \
    && mkdir -p /image/program/usr/local/bin /image/program/opt/subnetd /image/compiled/opt/subnetd/node_modules \
    && cp /usr/local/bin/node /image/node/usr/local/bin/ \
    && cp -L "$(LD_TRACE_LOADED_OBJECTS=1 node | sed -n 's/.*libatomic.* => \([^ ]*\).*/\1/p')" /image/node/usr/lib/libatomic.so.1 \
    && mv node_modules/.cache /image/compiled/opt/subnetd/node_modules/ \
    && mv node_modules /image/libraries/opt/subnetd/ \
    && cp -r . /image/program/opt/subnetd/ \
    && ln -s /opt/subnetd/bin/subnetd /image/program/usr/local/bin/subnetd \
    && chown -R root:root /image && chmod -R a+rX /image \
    && find /image -exec touch -h -d @0 '{}' +

FROM debian:bookworm-slim
RUN echo 'subnetd:x:1000:1000::/var/lib/subnetd:/bin/false' >> /etc/passwd && echo 'subnetd:x:1000:' >> /etc/group \
    && mkdir /etc/subnetd /var/lib/subnetd && chown 1000:1000 /var/lib/subnetd && chmod 0700 /var/lib/subnetd
# A change of the program keeps the layers of Node.js and of the libraries.
COPY --from=build /image/node /
COPY --from=build /image/libraries /
COPY --from=build /image/program /
COPY --from=build /image/compiled /

# The inventory is read from /etc/subnetd. subnetd writes to /var/lib/subnetd only; mount a volume there.
ENV NODE_ENV=production \
    SUBNETD_CONFIG=/etc/subnetd/subnetd.yaml \
    SUBNETD_LISTEN=0.0.0.0:10545
# By its number, as Kubernetes cannot see that a name is not root's.
USER 1000:1000
WORKDIR /var/lib/subnetd
EXPOSE 10545
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["subnetd", "health"]
ENTRYPOINT ["subnetd"]
CMD ["run"]

# `npm run image` knows these. Without it, an image says that nobody told.
ARG COMMIT=unknown
ARG CREATED=1970-01-01T00:00:00Z
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="subnetd" \
      org.opencontainers.image.description="Watches an XDC-style blockchain subnet and says what is wrong and what to do." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
