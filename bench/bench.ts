import { renderTable, type BenchTable } from './table.ts'

type BenchModule = () => Promise<BenchTable>

/** Each part is a file beside this one that exports `run`. */
const modules = import.meta.glob<{ run: BenchModule }>(['./*.ts', '!./bench.ts', '!./table.ts'])

const nameOf = (path: string): string => path.replace(/^\.\/|\.ts$/g, '')

/** `npm run bench [-- PART…] [--json] [--big]`. Returns the exit code: 1 for an unknown part. */
export async function main(args: string[]): Promise<number> {
  const names = Object.keys(modules).map(nameOf)
  const json = args.includes('--json')
  const selected = args.filter((arg) => !arg.startsWith('--'))
  const unknown = selected.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`No bench is called ${unknown.join(', ')}. There are: ${names.join(', ')}.\n`)
    return 1
  }
  const tables: BenchTable[] = []
  for (const [path, load] of Object.entries(modules)) {
    if (selected.length > 0 && !selected.includes(nameOf(path))) continue
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
