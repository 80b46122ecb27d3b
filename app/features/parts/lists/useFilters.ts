import { navigate, readEntryState } from '../../../historyState.ts'
import { formatAddress } from '../../../paths.ts'
import { usePageQuery } from '../../../ui/pageAddress.ts'

/** The values that each filter can have, the default first; null: any text, by default none. */
type Definitions = Readonly<Record<string, readonly [string, ...string[]] | null>>

type Values<D extends Definitions> = {
  readonly [Name in keyof D]: D[Name] extends readonly (infer Value)[] ? Value : string
}

interface Filters<D extends Definitions> {
  values: Values<D>
  /** Whether all filters have their defaults. */
  areDefault: boolean
  change: (changes: Partial<Values<D>>) => void
}

/**
 * The filters of a list. The query of the address has each value that is not the default, so that going back to the page
 * or sharing its address shows the same list. A change replaces the entry of the browser's history.
 */
export function useFilters<const D extends Definitions>(definitions: D): Filters<D> {
  const query = usePageQuery()
  const values: Record<string, string> = {}
  for (const [name, allowed] of Object.entries(definitions)) {
    const value = query.get(name) ?? ''
    values[name] = allowed === null || allowed.includes(value) ? value : allowed[0]
  }
  const changed = (all: Record<string, string>) =>
    Object.entries(definitions).flatMap(([name, allowed]) =>
      all[name] && all[name] !== allowed?.[0] ? [[name, all[name]]] : [],
    )
  return {
    values: values as Values<D>,
    areDefault: changed(values).length === 0,
    change: (changes) =>
      navigate(formatAddress(location.pathname, Object.fromEntries(changed({ ...values, ...changes }))), {
        replace: true,
        state: { ...readEntryState(), scrollTop: 0 },
      }),
  }
}
