import type { Filter } from './changeRequest.ts'
import type { ValueType } from './ValueTypes.ts'

/** A filter with the type that its column had when it was checked. */
export interface CheckedFilter extends Filter {
  typeId: number
  type: ValueType
  /** The value, or those of `in`, in the text format of the type; null for NULL. */
  texts: (string | null)[]
}

/**
 * Whether a column's value passes. `database`: only the database can make this comparison. As in SQL, NULL does not
 * pass. A missing value does not pass either.
 */
export function testFilter(
  filter: CheckedFilter,
  typeId: number,
  value: string | null | undefined,
): boolean | 'database' {
  if (value === undefined) return false
  const result = compare(filter, typeId, value)
  if (result === 'database' || result === null) return result ?? false
  return result !== filter.negated
}

/** The result before negation; null for NULL. */
function compare(filter: CheckedFilter, typeId: number, value: string | null): boolean | null | 'database' {
  const { operator, texts, type } = filter
  if (operator === 'is') return compareIs(filter, value)
  if (value === null) return operator === 'isdistinct' ? true : null
  // The type of the column has changed since the filter was checked.
  if (typeId !== filter.typeId) return 'database'
  const [text] = texts
  switch (operator) {
    case 'eq':
      return type.isExact ? text === value : 'database'
    case 'neq':
    case 'isdistinct':
      return type.isExact ? text !== value : 'database'
    case 'in':
      if (!type.isExact) return 'database'
      return texts.includes(value) || (texts.includes(null) ? null : false)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return type.isInteger ? compareIntegers(operator, BigInt(value), BigInt(text!)) : 'database'
    default:
      return 'database'
  }
}

function compareIs(filter: CheckedFilter, value: string | null): boolean {
  switch (filter.value) {
    case 'true':
      return value === 't'
    case 'false':
      return value === 'f'
    default:
      return value === null
  }
}

function compareIntegers(operator: 'lt' | 'lte' | 'gt' | 'gte', value: bigint, than: bigint): boolean {
  if (operator === 'lt') return value < than
  if (operator === 'lte') return value <= than
  return operator === 'gt' ? value > than : value >= than
}
