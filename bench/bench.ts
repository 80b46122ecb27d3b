import { renderTable, type BenchTable } from './table.ts'

type Part = () => Promise<BenchTable>

/** Each part is a file beside this one that exports `run`. */
const parts = import.meta.glob<{ run: Part }>(['./*.ts', '!./bench.ts', '!./table.ts'])

const nameOf = (path: string): string => path.replace(/^\.\/|\.ts$/g, '')

/** `npm run bench [-- PART…] [--json] [--big]`. Answers the exit code: 1 where a part is unknown. */
export async function main(args: string[]): Promise<number> {
  const known = Object.keys(parts).map(nameOf)
  const json = args.includes('--json')
  const wanted = args.filter((arg) => !arg.startsWith('--'))
  const unknown = wanted.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`No bench is called ${unknown.join(', ')}. There are: ${known.join(', ')}.\n`)
    return 1
  }
  const tables: BenchTable[] = []
  for (const [path, load] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(nameOf(path))) continue
    const { run } = await load()
    const table = await run()
    tables.push(table)
    if (!json) process.stdout.write(`${renderTable(table)}\n\n`)
  }
  if (json) process.stdout.write(`${JSON.stringify(tables)}\n`)
  const summaries = tables.flatMap(({ name, summary }) => (summary ? [[name, summary] as const] : []))
  if (json && summaries.length > 0) {
    process.stdout.write(`${JSON.stringify(Object.fromEntries(summaries))}\n`)
  }
  return 0
}
