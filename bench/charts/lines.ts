/** One line through measured points. Pure. */
import { frame, label, line, type Point, place, TOP, ticks, WIDTH } from './svg.ts'

const PLOT = { left: 90, right: WIDTH - 40, height: 220 } as const

export type LineChart = {
  title: string
  description: string
  /** What the axes say. */
  axes: { x: string; y: string }
  points: readonly Point[]
  /** A line across. */
  marker: { value: number; label: string }
  format(value: number): string
}

/** Draws the points, joined in their order. */
export function lineChart({ title, description, axes, points, marker, format }: LineChart): string {
  const across = ticks(Math.max(...points.map(([value]) => value)))
  const up = ticks(Math.max(marker.value, ...points.map(([, value]) => value)))
  const bottom = TOP + PLOT.height
  const x = (value: number) => PLOT.left + (value / (across.at(-1) ?? 1)) * (PLOT.right - PLOT.left)
  const y = (value: number) => bottom - (value / (up.at(-1) ?? 1)) * PLOT.height
  const path = points.map(([a, b], index) => `${index === 0 ? 'M' : 'L'}${place(x(a))} ${place(y(b))}`).join(' ')
  return frame({ title, description, height: bottom + 60 }, [
    ...up.flatMap((tick) => [
      line('grid', [PLOT.left, y(tick)], [PLOT.right, y(tick)]),
      label(format(tick), PLOT.left - 10, y(tick) + 4, 'soft', 'end'),
    ]),
    ...across.map((tick) => label(format(tick), x(tick), bottom + 20, 'soft', 'middle')),
    label(axes.y, 20, TOP - 16, 'soft'),
    label(axes.x, PLOT.right, bottom + 44, 'soft', 'end'),
    line('goal', [PLOT.left, y(marker.value)], [PLOT.right, y(marker.value)]),
    label(marker.label, PLOT.right, y(marker.value) - 6, 'text', 'end'),
    `<path class="line" d="${path}"/>`,
    ...points.map(([a, b]) => `<circle class="s0" cx="${place(x(a))}" cy="${place(y(b))}" r="3"/>`),
  ])
}
