import { parseInOperand } from '../../../../backend/rest/parse/parseFilter.ts'
import { parseQuery } from '../../../../backend/rest/parse/parseQuery.ts'
import type { LogicTree, Operand, Query } from '../../../../backend/rest/parse/query.ts'
import { splitQuery } from '../../../../backend/rest/parse/splitQuery.ts'

/** A parsed query with its values inserted; `filterNames` and `args` follow from the rest. */
export type Meaning = Omit<Query, 'filterNames' | 'args'>

/** Parses a query string (without `?`) and inserts its inputs. Throws PGRST100. */
export function readMeaning(search: string): Meaning {
  const split = splitQuery(search)
  const { filterNames: _names, args: _args, ...query } = parseQuery(split, false)
  const inputs = split.inputs
  return {
    ...query,
    filters: query.filters.map(({ path, filter }) => ({
      path,
      filter: withValues(filter, inputs) as typeof filter,
    })),
    logic: query.logic.map(({ path, tree }) => ({ path, tree: rooted(tree) })),
    ranges: inOrder(query.ranges),
  }
}

/** The order of ranges has no effect. */
export function inOrder(ranges: Meaning['ranges']): Meaning['ranges'] {
  const key = ({ path }: Meaning['ranges'][number]): string => JSON.stringify(path)
  return ranges.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Like upstream, `or=a.eq.1` is a filter of the column `ora`. */
function rooted(tree: LogicTree): LogicTree {
  return tree.kind === 'filter' ? { kind: 'and', negated: false, items: [tree] } : tree
}

function withValues(tree: LogicTree, inputs: string[]): LogicTree {
  if (tree.kind !== 'filter') return { ...tree, items: tree.items.map((item) => withValues(item, inputs)) }
  const { operation } = tree
  switch (operation.kind) {
    case 'is':
      return tree
    case 'in': {
      const { operand } = operation
      const values = 'input' in operand ? parseInOperand(inputs[operand.input]!) : operand.values
      return { ...tree, operation: { kind: 'in', operand: { values } } }
    }
    default:
      return { ...tree, operation: { ...operation, operand: withValue(operation.operand, inputs) } }
  }
}

function withValue(operand: Operand, inputs: string[]): Operand {
  return 'input' in operand ? { text: inputs[operand.input]! } : operand
}
