# The panel and a core in one image. How to run it: docs/install.md
FROM node:20-bookworm AS build
WORKDIR /opt/portolan
ENV XDG_CACHE_HOME=/cache
COPY . .
# Dependencies, the build and the pinned core; the final image contains only what is needed to run.
RUN npm run setup && npm prune --omit=dev \
  && install -D -m 755 /cache/portolan/core/*/xray /image/usr/local/bin/xray

FROM node:20-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates iproute2 nftables tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 700 /data
COPY --from=build /image/ /
COPY --from=build /opt/portolan/package.json /opt/portolan/README.md /opt/portolan/LICENSE /opt/portolan/
COPY --from=build /opt/portolan/bin /opt/portolan/bin
COPY --from=build /opt/portolan/scripts/no-telemetry /opt/portolan/scripts/no-telemetry
COPY --from=build /opt/portolan/docs /opt/portolan/docs
COPY --from=build /opt/portolan/dist /opt/portolan/dist
COPY --from=build /opt/portolan/locales /opt/portolan/locales
COPY --from=build /opt/portolan/web/dist /opt/portolan/web/dist
COPY --from=build /opt/portolan/node_modules /opt/portolan/node_modules
COPY --from=build --chmod=755 /opt/portolan/deploy/portolan-in-container /usr/local/bin/portolan
ENV NODE_ENV=production PORTOLAN_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 2053 10882
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:2054/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# tini reaps orphaned child processes; the core may become one.
ENTRYPOINT ["tini", "--", "portolan"]
CMD ["serve"]
