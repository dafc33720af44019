/** Horizontal bars of one or several parts. Pure. */
import { frame, label, line, PLOT, place, TOP, ticks } from './svg.ts'

const ROW = 30
const BAR = 18

/** @property shown what stands behind the bar; default: the sum of its parts */
export type Bar = { label: string; parts: readonly number[]; shown?: string }

export type BarChart = {
  title: string
  description: string
  /** Names of the parts, in their order. */
  series: readonly string[]
  bars: readonly Bar[]
  /** A line across all bars. */
  marker?: { value: number; label: string }
  /** Bars end here, however long they would be. */
  most?: number
  format(value: number): string
}

/** Draws the bars below one another. */
export function barChart({ title, description, series, bars, marker, most, format }: BarChart): string {
  const totals = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0))
  const scale = ticks(most ?? Math.max(...totals, marker?.value ?? 0))
  const end = scale.at(-1) ?? 1
  const x = (value: number) => PLOT.left + (Math.min(value, end) / end) * (PLOT.right - PLOT.left)
  const bottom = TOP + bars.length * ROW
  const grid = scale.flatMap((tick) => [
    line('grid', [x(tick), TOP - 6], [x(tick), bottom]),
    label(format(tick), x(tick), bottom + 18, 'soft', 'middle'),
  ])
  const drawn = bars.flatMap((bar, index) => {
    const y = TOP + index * ROW
    return [label(bar.label, PLOT.left - 10, y + BAR - 4, 'text', 'end'), ...partsOf(bar, x, y)]
  })
  const shown = bars.map((bar, index) => {
    const total = totals[index] ?? 0
    return label(bar.shown ?? format(total), x(total) + 8, TOP + index * ROW + BAR - 4, 'value')
  })
  const goal =
    marker === undefined
      ? []
      : [
          line('goal', [x(marker.value), TOP - 10], [x(marker.value), bottom]),
          label(marker.label, x(marker.value), TOP - 14, 'text', 'middle'),
        ]
  return frame({ title, description, series, height: bottom + 34 }, [...grid, ...drawn, ...goal, ...shown])
}

function partsOf({ parts }: Bar, x: (value: number) => number, y: number): string[] {
  return parts.map((part, index) => {
    const from = parts.slice(0, index).reduce((sum, one) => sum + one, 0)
    const [left, right] = [x(from), x(from + part)]
    return `<rect class="s${index}" x="${place(left)}" y="${place(y)}" width="${place(right - left)}" height="${BAR}"/>`
  })
}
