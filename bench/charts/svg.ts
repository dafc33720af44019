/** The frame of a chart: readable on light and dark pages, with a title and a description for those who do not see it. Pure. */

export const WIDTH = 760
/** Where the plot begins and ends, between labels and values. */
export const PLOT = { left: 250, right: 640 } as const
export const TOP = 76

/** Colours that are told apart by people who do not see all of them, each on both grounds. */
const STYLE = `
  svg { color-scheme: light dark; font: 13px system-ui, sans-serif }
  .value { paint-order: stroke; stroke-width: 4px }
  .ground { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e } .value { fill: #1f2328; stroke: #ffffff }
    .grid { stroke: #d1d9e0 } .goal { stroke: #1f2328 }
  .s0 { fill: #0b6bcb } .s1 { fill: #d9822b } .s2 { fill: #6e7781 } .line { stroke: #0b6bcb; fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .text { fill: #f0f6fc } .soft { fill: #9198a1 } .value { fill: #f0f6fc; stroke: #0d1117 }
    .grid { stroke: #3d444d } .goal { stroke: #f0f6fc }
    .s0 { fill: #58a6ff } .s1 { fill: #e3a857 } .s2 { fill: #8b949e } .line { stroke: #58a6ff }
  }`

/** @param series names of the colours, from the first on; shown when there are several */
export type Frame = { title: string; description: string; height: number; series?: readonly string[] }

/** A whole SVG document. */
export function frame({ title, description, height, series = [] }: Frame, body: readonly string[]): string {
  const legend = series.length < 2 ? [] : series.flatMap((name, index) => legendOf(name, index, series))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}" rx="6"/>`,
    `<text class="text" x="20" y="30" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...legend,
    ...body,
    '</svg>',
    '',
  ].join('\n')
}

function legendOf(name: string, index: number, series: readonly string[]): string[] {
  const before = series.slice(0, index).reduce((sum, one) => sum + one.length * 7.2 + 34, 0)
  const x = place(20 + before)
  return [`<rect class="s${index}" x="${x}" y="43" width="12" height="12" rx="2"/>`, label(name, x + 18, 54, 'soft')]
}

/** A text; a `value` is readable on top of lines. @param anchor which end of it stands at `x` */
export function label(
  text: string,
  x: number,
  y: number,
  kind: 'text' | 'soft' | 'value' = 'text',
  anchor = 'start',
): string {
  return `<text class="${kind}" x="${place(x)}" y="${place(y)}" text-anchor="${anchor}">${escaped(text)}</text>`
}

/** A line from one point to another. */
export function line(kind: 'grid' | 'goal', [x1, y1]: Point, [x2, y2]: Point): string {
  const dashes = kind === 'goal' ? ' stroke-dasharray="5 3" stroke-width="1.5"' : ''
  return `<line class="${kind}" x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}"${dashes}/>`
}

export type Point = readonly [x: number, y: number]

/** Coordinates need no more than a tenth of a pixel. */
export function place(value: number): number {
  if (!Number.isFinite(value)) throw new Error('a chart has a value that is no number')
  return Math.round(value * 10) / 10
}

/** Round numbers from 0 to at least `most`, about five. */
export function ticks(most: number): number[] {
  if (!(most > 0)) return [0, 1]
  const rough = most / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
