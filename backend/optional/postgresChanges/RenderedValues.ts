import type pg from 'pg'
import { runIsolated } from './runIsolated.ts'
import { renderValue } from './renderValue.ts'
import type { ValueType } from './ValueTypes.ts'

/** Renders values as JSON text; those that only the database can render are loaded together. */
export class RenderedValues {
  readonly #groups = new Map<string, { type: ValueType; values: Map<string, string> }>()

  add(type: ValueType, text: string): void {
    if (type.rendering !== 'database') return
    const group = this.#groups.get(type.sqlName) ?? { type, values: new Map<string, string>() }
    group.values.set(text, '')
    this.#groups.set(type.sqlName, group)
  }

  async load(client: pg.ClientBase): Promise<void> {
    const groups = [...this.#groups.values()]
    const results = await runIsolated<string>(
      client,
      groups.map(({ type, values }) => ({
        text: `select array(select to_jsonb(given.value::${type.sqlName})::text
               from unnest($1::text[]) with ordinality given (value, n) order by n) as results`,
        values: [[...values.keys()]],
      })),
    )
    groups.forEach(({ values }, at) => {
      const result = results[at]!
      // A value that the database cannot render (if its type was dropped, for example) is sent as in the WAL.
      ;[...values.keys()].forEach((text, index) => {
        values.set(text, result instanceof Error ? JSON.stringify(text) : result[index]!)
      })
    })
  }

  render(type: ValueType | undefined, text: string | null): string {
    if (text === null) return 'null'
    if (!type) return JSON.stringify(text)
    if (type.rendering !== 'database') return renderValue(type.rendering, text)
    return this.#groups.get(type.sqlName)?.values.get(text) ?? JSON.stringify(text)
  }
}
