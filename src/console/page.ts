/** The one page of the console: it loads the modules, which draw everything. */
import type { Assets } from './assets.ts'

/** All modules are named, so that none waits until another one was read. */
export function pageOf({ base, files }: Assets): string {
  const modules = [...files].filter(([, { type }]) => type.startsWith('text/javascript')).map(([name]) => name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Console</title>
<link rel="icon" href="${base}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}console.css">
${modules.map((name) => `<link rel="modulepreload" href="${base}${name}">`).join('\n')}
<script type="module" src="${base}main.ts"></script>
</head>
<body>
<div id="console"><noscript>The console needs JavaScript. Every command works without it: npm run -s coin -- --help</noscript></div>
</body>
</html>
`
}
