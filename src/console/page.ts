/** The one page of the console: it loads the modules, which draw everything. */
import { ASSETS, type Asset } from './assets.ts'

/** @param assets those of `readAssets`: all modules are named, so that none waits until another one was read */
export function pageOf(assets: ReadonlyMap<string, Asset>): string {
  const modules = [...assets].filter(([, { type }]) => type.startsWith('text/javascript')).map(([name]) => name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Console</title>
<link rel="icon" href="${ASSETS}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${ASSETS}console.css">
${modules.map((name) => `<link rel="modulepreload" href="${ASSETS}${name}">`).join('\n')}
<script type="module" src="${ASSETS}main.ts"></script>
</head>
<body>
<div id="console"><noscript>The console needs JavaScript. Every command works without it: npm run -s coin -- --help</noscript></div>
</body>
</html>
`
}
