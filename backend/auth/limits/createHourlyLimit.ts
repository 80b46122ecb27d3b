import { createBudget } from '../../budgets/createBudget.ts'

const hour = 3_600_000

/**
 * Allows `max` events an hour, in consecutive hours from now, of which each caller has a share (`createBudget`). Counts
 * one and returns 0 if the limit and the share are not reached, otherwise returns the seconds until the next hour.
 */
export function createHourlyLimit(max: number, now: () => number): (caller: string) => number {
  let began = now()
  let counted = createBudget({ capacity: max })
  return (caller) => {
    const time = now()
    if (time >= began + hour || time < began) {
      began = time < began ? time : began + Math.floor((time - began) / hour) * hour
      counted = createBudget({ capacity: max })
    }
    return counted.take(caller) ? 0 : Math.ceil((began + hour - time) / 1000)
  }
}
