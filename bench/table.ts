/** The measurements of one part. A ratio compares within one run, since absolute values depend on the machine. */
export interface BenchTable {
  name: string
  rows: BenchRow[]
  /** Metrics with goals; with --json the last line has them by the name of the part. */
  summary?: Record<string, number>
}

export interface BenchRow {
  what: string
  value: number
  unit: string
  /** `value` against `against`, measured in the same run. */
  ratio?: number
  against?: string
  /** Further metrics of the same rounds, by name. */
  also?: Record<string, number>
}

const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString()

/** The table as aligned lines, ratio first: the ratio is comparable between machines. */
export function renderTable({ name, rows }: BenchTable): string {
  const cells = rows.map((row) => [
    row.ratio === undefined ? '' : `${shown(row.ratio)}×`,
    row.what,
    `${shown(row.value)} ${row.unit}`,
    row.against === undefined ? '' : `against ${row.against}`,
    ...Object.entries(row.also ?? {}).map(([name, value]) => `${shown(value)} ${name}`),
  ])
  const columns = Math.max(0, ...cells.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) => column).map((column) =>
    Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padStart(widths[0]!) : cell.padEnd(widths[column] ?? 0)))
      .join('  '),
  )
  return [`${name}`, ...lines.map((line) => `  ${line.trimEnd()}`)].join('\n')
}
