import type pg from 'pg'
import { askInTurn } from './askInTurn.ts'
import { renderValue } from './renderValue.ts'
import type { ValueType } from './ValueTypes.ts'

/** Renders values as JSON text, those that only the database can render asked all at once. */
export class RenderedValues {
  readonly #asked = new Map<string, { type: ValueType; values: Map<string, string> }>()

  add(type: ValueType, text: string): void {
    if (type.rendering !== 'ask') return
    const group = this.#asked.get(type.sqlName) ?? { type, values: new Map<string, string>() }
    group.values.set(text, '')
    this.#asked.set(type.sqlName, group)
  }

  async ask(client: pg.ClientBase): Promise<void> {
    const groups = [...this.#asked.values()]
    const answers = await askInTurn<string>(
      client,
      groups.map(({ type, values }) => ({
        text: `select array(select to_jsonb(given.value::${type.sqlName})::text
               from unnest($1::text[]) with ordinality given (value, n) order by n) as answers`,
        values: [[...values.keys()]],
      })),
    )
    groups.forEach(({ values }, at) => {
      const answer = answers[at]!
      // What the database can't render (its type is gone, say) is told as it stands in the log.
      ;[...values.keys()].forEach((text, place) => {
        values.set(text, answer instanceof Error ? JSON.stringify(text) : answer[place]!)
      })
    })
  }

  render(type: ValueType | undefined, text: string | null): string {
    if (text === null) return 'null'
    if (!type) return JSON.stringify(text)
    if (type.rendering !== 'ask') return renderValue(type.rendering, text)
    return this.#asked.get(type.sqlName)?.values.get(text) ?? JSON.stringify(text)
  }
}
