/** The measurements of one part. A ratio compares within one run, since absolute values depend on the machine. */
export interface BenchTable {
  name: string
  rows: BenchRow[]
  /** Metrics with goals; with --json the last line has them by the name of the part. */
  summary?: Record<string, number>
}

export interface BenchRow {
  what: string
  /** The target of the ratio or of the value, such as `≤ 5 ms`. */
  goal?: string
  value: number
  unit: string
  /** `value` against `against`, measured in the same run. */
  ratio?: number
  against?: string
  /** Further metrics of the same rounds, by name. */
  also?: Record<string, number>
}

/** Prints and stores a row as soon as it is measured. */
export type AddRow = (row: BenchRow) => void

const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString()

const columns = ['goal', 'anchor', 'ours', 'ratio', 'what'] as const

const cellsOf = (row: BenchRow): string[] => [
  row.goal ?? '',
  row.against ?? '',
  `${shown(row.value)} ${row.unit}`,
  row.ratio === undefined ? '' : `${shown(row.ratio)}×`,
  [row.what, ...Object.entries(row.also ?? {}).map(([name, value]) => `${shown(value)} ${name}`)].join(' · '),
]

/** Renders the table as aligned lines: goal, anchor, our value, ratio, and the name of the measurement. */
export function renderTable({ name, rows }: BenchTable): string {
  const cells = [[...columns], ...rows.map(cellsOf)]
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '))
  return [name, ...lines.map((line) => `  ${line.trimEnd()}`)].join('\n')
}

/** Renders one row on its own line, for output while a part runs. */
export const renderRow = (row: BenchRow): string =>
  cellsOf(row)
    .filter((cell) => cell !== '')
    .join('  ')
