import { createContext, use } from 'react'
import type { OwnMembership, Workspace } from '../../../../wire/people.ts'

export interface Me extends OwnMembership {
  workspace: Workspace
}

export const MeContext = createContext<Me | null>(null)

/** The current user. Available below `Shell`, which provides it. */
export function useMe(): Me {
  const me = use(MeContext)
  if (!me) throw new Error('useMe is called outside of the Shell, which provides the current user')
  return me
}
