# The service, Node and the C libraries that Node needs. Nothing else: no shell, no package manager.
#
#   docker build --tag inventory-service .
#   docker run --read-only --publish 8080:8080 inventory-service
#
# deploy/image/build.sh makes the same image without Docker.

# The version of the package `node` in package.json: a test compares them. Docker uses the digest, whatever the tag means.
FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS node

FROM node AS bundle
WORKDIR /build
# The service and the browser pages are built with the development dependencies, which do not get into the image.
COPY package.json package-lock.json .npmrc ./
COPY packages/connect-gateway/package.json packages/connect-gateway/package.json
COPY packages/console/package.json packages/console/package.json
RUN npm ci --ignore-scripts --no-audit
COPY src src
COPY packages/connect-gateway/src packages/connect-gateway/src
COPY packages/connect-gateway/gen packages/connect-gateway/gen
COPY gen gen
COPY packages/console/build.ts packages/console/bundled-licenses.ts packages/console/
COPY packages/console/src packages/console/src
COPY packaging/bundle.ts packaging/source-maps.js packaging/
COPY clients clients
RUN node packages/console/build.ts && node packaging/bundle.ts

FROM node AS build
WORKDIR /build
# The packages that the bundle has, for the list of contents.
COPY package.json package-lock.json .npmrc ./
COPY packages/connect-gateway/package.json packages/connect-gateway/package.json
RUN npm ci --omit=dev --ignore-scripts --no-audit
COPY gen gen
COPY deploy/image deploy/image
COPY --from=bundle /build/dist dist
# The time of all files in the image. Pass the time of the commit: git log -1 --format=%ct
ARG SOURCE_DATE_EPOCH=0
RUN apt-get update && deploy/image/rootfs.sh /build /rootfs

FROM scratch
# Node and the libraries are a layer of their own, which changes rarely.
COPY --from=build /rootfs/base /
COPY --from=build /rootfs/app /
ARG REVISION=unknown
LABEL org.opencontainers.image.title="inventory-service" \
      org.opencontainers.image.description="Inventory service for pet stores" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# By number, because Kubernetes cannot check whether a user name means root.
USER 65532:65532
WORKDIR /app
# The loopback address of a container cannot be reached from outside.
ENV PATH=/usr/bin NODE_ENV=production HOST=0.0.0.0 ADMIN_ADDR=0.0.0.0:9464
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["/usr/bin/node", "/app/deploy/health.ts"]
# SIGUSR1 would open the inspector of Node. V8 keeps three times the semi-space: 48 MB, by default 96 MB.
ENTRYPOINT ["/usr/bin/node", "--disable-sigusr1", "--max-semi-space-size=16"]
CMD ["dist/start.js"]
