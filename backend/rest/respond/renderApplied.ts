import type { Preferences } from '../parse/parsePreferences.ts'
import type { Plan } from '../plan/plan.ts'

/** `Preference-Applied`: the preferences that made a difference, in upstream's order; empty for none. */
export function renderApplied(plan: Plan): string {
  const { preferences } = plan
  const isWrite = plan.kind !== 'read' && plan.kind !== 'call'
  const applied: (keyof Preferences)[] = []
  if (plan.kind === 'insert' && plan.conflict) applied.push('resolution')
  if (plan.kind === 'insert' || plan.kind === 'update') applied.push('missing')
  if (isWrite) applied.push('return')
  applied.push('count', 'tx', 'handling', 'timezone')
  const named = applied.flatMap((name) =>
    preferences[name] === null ? [] : [`${name}=${String(preferences[name])}`],
  )
  const limits = plan.kind === 'update' || plan.kind === 'delete' || plan.kind === 'call'
  if (limits && preferences.handling === 'strict' && preferences.maxAffected !== null) {
    named.push(`max-affected=${preferences.maxAffected}`)
  }
  return named.join(', ')
}
