# The service without its sandbox: a live process needs no development or optional packages.
FROM node:26.10.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:26.10.0-slim
# Without settings an image must not be a sandbox that looks like the real thing.
ENV NODE_ENV=production COIN_ENVIRONMENT=live HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY src src
# What /docs is made of.
COPY docs/guides docs/guides
COPY docs/ERRORS.md docs/SANDBOX.md docs/
USER node
EXPOSE 4000 4001
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPERATOR_PORT || 4001}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself, not npm: it must get the signals.
# Young objects get 3 × 4 MB: with more, a process is larger and no faster (bench/results/choices.md, "Room for young objects").
# They are collected by one thread: several cost more than they save (bench/results/choices.md).
CMD ["node", "--max-semi-space-size=4", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "--heap-growing-percent=50", "src/main.ts"]
