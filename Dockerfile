# The App as an image: production packages and what `npm pack` ships, owned by root, run by another user on a root that may be read-only.
# `docker build --build-arg BASE=…@sha256:… .` pins the base by its digest, or names another one with Node 24.
ARG BASE=docker.io/library/node:24.21.0-bookworm-slim

FROM ${BASE} AS base
# A base that brings git is taken as it is.
RUN command -v git >/dev/null || { \
      apt-get update \
      && apt-get install -y --no-install-recommends ca-certificates git \
      && rm -rf /var/lib/apt/lists/*; \
    }

FROM base AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# A registry of your own, and its token, come as a secret, which no layer keeps: `--secret id=npmrc,src=.npmrc`.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci
COPY . .
# Source maps, which no Node here reads, are a third of all packages.
RUN npm pack --silent \
    && tar -xzf loopwright-*.tgz \
    && npm prune --omit=dev --silent \
    && find node_modules -name '*.map' -delete \
    && mv node_modules package/ \
    && mkdir data

FROM base
ENV NODE_ENV=production \
    HOME=/tmp \
    DATABASE_URL=/data/db \
    WORKSPACE_DIR=/data/repositories
COPY --from=build /build/package /app
# The only places that are written: clones, and the embedded database where no other is named, and /tmp.
COPY --from=build --chown=10001:10001 /build/data /data
USER 10001:10001
WORKDIR /app
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["node", "/app/dist/health-check.js"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "/app/dist/loopwright.js"]
CMD ["start"]
