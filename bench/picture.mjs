/**
 * How do the figures look?
 *
 * Law: one picture of a run, ns per item against size, for four shapes; what it shows is chosen here and nowhere
 * else. A line that ends early was stopped. Needs no browser.
 */
import { Error as OnlyErrors, parse, View } from 'vega'

const shown = ['alternating', 'stacked', 'chat', 'tool-search']

const lines = [
  ['floor', 'floor: one loop, one map', '#8a8a8a'],
  ['rejected', 'turnkeep: planSave', '#1a7f37'],
  ['seed', 'helper it grew from', '#b08800'],
  ['select', 'agents-core: selection', '#cf222e']
]

const pointsOf = (rows, shape) =>
  lines.flatMap(([name, label]) =>
    rows
      .filter((row) => row.shape === shape && row.case === name && row.time !== undefined)
      .map(({ size, time }) => ({ shape, label, size, value: (time.median * 1e6) / size }))
  )

const line = {
  type: 'group',
  from: { facet: { name: 'series', data: 'panel', groupby: 'label' } },
  marks: [
    {
      type: 'line',
      from: { data: 'series' },
      encode: {
        enter: {
          x: { scale: 'x', field: 'size' },
          y: { scale: 'y', field: 'value' },
          stroke: { scale: 'colour', field: 'label' },
          strokeWidth: { value: 2 }
        }
      }
    },
    {
      type: 'symbol',
      from: { data: 'series' },
      encode: {
        enter: {
          x: { scale: 'x', field: 'size' },
          y: { scale: 'y', field: 'value' },
          fill: { scale: 'colour', field: 'label' },
          size: { value: 28 }
        }
      }
    }
  ]
}

const specification = (points) => ({
  $schema: 'https://vega.github.io/schema/vega/v6.json',
  description: 'Nanoseconds per item against the number of items of a turn, for four shapes of turns',
  background: 'white',
  padding: 12,
  data: [{ name: 'points', values: points }],
  scales: [
    {
      name: 'colour',
      type: 'ordinal',
      domain: lines.map(([, label]) => label),
      range: lines.map(([, , colour]) => colour)
    },
    { name: 'x', type: 'log', domain: [10, 1_000_000], range: [0, 260] },
    { name: 'y', type: 'log', domain: { data: 'points', field: 'value' }, range: [180, 0], nice: true }
  ],
  layout: { columns: 2, padding: 30, titleBand: { row: 0 } },
  legends: [
    {
      stroke: 'colour',
      orient: 'bottom',
      direction: 'horizontal',
      columns: 4,
      symbolType: 'stroke',
      symbolStrokeWidth: 3,
      labelLimit: 400
    }
  ],
  marks: [
    {
      type: 'group',
      from: { facet: { name: 'panel', data: 'points', groupby: 'shape' } },
      title: { text: { signal: 'parent.shape' }, anchor: 'start', fontSize: 13 },
      encode: { enter: { width: { value: 260 }, height: { value: 180 }, stroke: { value: '#dddddd' } } },
      axes: [
        {
          orient: 'bottom',
          scale: 'x',
          format: ',',
          title: 'items in the turn',
          values: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
          labelOverlap: true
        },
        {
          orient: 'left',
          scale: 'y',
          format: ',',
          title: 'ns per item',
          values: [1, 10, 100, 1_000, 10_000, 100_000],
          grid: true,
          gridColor: '#eeeeee'
        }
      ],
      marks: [line]
    }
  ]
})

/** The rows of a run as an SVG document. */
export const draw = (rows) => {
  const points = shown.flatMap((shape) => pointsOf(rows, shape))
  return new View(parse(specification(points)), { renderer: 'none', logLevel: OnlyErrors }).toSVG()
}
