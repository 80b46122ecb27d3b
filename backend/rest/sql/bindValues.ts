import { parseInOperand } from '../parse/parseFilter.ts'
import type { Bind } from './Binds.ts'
import { listLiteral, toPattern } from './logicSql.ts'
import { arrayLiteral } from './quote.ts'

/** The parameter values of a statement for one request: strings, or a body as bytes. Throws PGRST100 for an invalid `in` list. */
export function bindValues(
  binds: Bind[],
  inputs: string[],
  body: string | Buffer | null,
): (string | Buffer | null)[] {
  return binds.map((bind) => {
    switch (bind.from) {
      case 'text':
        return bind.text
      case 'body':
        return body
      case 'inputs':
        return arrayLiteral(bind.inputs.map((input) => inputs[input]!))
      case 'input': {
        const value = inputs[bind.input]!
        if (bind.as === 'plain') return value
        return bind.as === 'like' ? toPattern(value) : listLiteral(parseInOperand(value))
      }
    }
  })
}
