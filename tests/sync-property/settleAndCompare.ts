import { needsRefetch } from './tab.ts'
import type { Tab } from './types.ts'
import { createReadActivity } from './browser.ts'
import type { Simulation } from './simulation.ts'
import { flushPromises } from './network/clock.ts'
import { createRandom } from '../support/random.ts'
import { checkBootstrap } from './checks/checkBootstrap.ts'
import { compareTab } from './checks/compareTab.ts'
import { checkReadMarkers } from './checks/checkReadMarkers.ts'
import { checkTables } from './checks/checkTables.ts'
import { checkOutbox } from './checks/checkOutbox.ts'
import { indexTables, expectedViewOf } from './checks/expectedView.ts'
import { checkCache } from './checks/checkCache.ts'

/** Removes all faults, waits until nothing is pending, and returns all differences from the tables. */
export async function settleAndCompare(simulation: Simulation): Promise<string[]> {
  for (const tab of simulation.tabs()) {
    tab.device.asleep = false
    simulation.network.heal(tab.device)
  }
  // After the first round all tabs have what others did while settling. A difference after the second may be a change
  // of that round on a topic that nobody was subscribed to: it gets one more.
  const closers: (() => void)[] = []
  await refetchAll(simulation, closers)
  await refetchAll(simulation, closers)
  let found = await compareAll(simulation)
  if (found.length > 0) {
    await refetchAll(simulation, closers)
    found = await compareAll(simulation)
  }
  for (const close of closers) close()
  for (const browser of simulation.browsers) browser.readActivity = createReadActivity()
  return found
}

/** Everybody signs in, settles, refetches, and opens the channels that get no events. */
async function refetchAll(simulation: Simulation, closers: (() => void)[]): Promise<void> {
  for (const browser of simulation.browsers) if (browser.tabs.length === 0) await simulation.signIn(browser)
  await settle(simulation)
  for (const browser of simulation.browsers) if (browser.tabs.length === 0) await simulation.signIn(browser)
  for (const tab of simulation.tabs()) {
    tab.engine.refresh()
    loadAtEnds(tab)
    for (const { entry } of [...tab.store.get().channels.values()].filter(needsRefetch)) {
      closers.push(tab.engine.open(entry.channel.id))
      tab.views.open({ channel: entry.channel.id, root: null })
    }
  }
}

/** Loads what follows, as a list does whose last rows are visible. */
function loadAtEnds({ opened, thread, views }: Tab) {
  for (const at of [opened && { channel: opened.channel, root: null }, thread])
    if (at && views.get(at).anchor === 'end') views.loadAfter(at)
}

async function compareAll(simulation: Simulation): Promise<string[]> {
  const busy = await settle(simulation)
  if (busy.length > 0) return busy
  for (const tab of simulation.tabs()) tab.saveCache()
  await flushPromises()
  const indexed = indexTables(await simulation.database.readTables())
  const found = [...checkTables(indexed), ...checkReadMarkers(simulation.browsers, indexed)]
  for (const browser of simulation.browsers) {
    const expected = expectedViewOf(indexed, browser.person.account)
    found.push(...(await checkBootstrap(simulation.database, browser.label, browser.caller, expected)))
    for (const tab of browser.tabs) found.push(...compareTab(tab, expected))
    found.push(...checkOutbox(browser, indexed), ...checkCache(browser, expected))
  }
  return found
}

/** Rounds of 2.5 s, together longer than the longest backoff: what is pending then stays pending forever. */
const MAX_ROUNDS = 80

/** Delivers everything in flight and runs the timers that something waits for; returns what stays pending. */
async function settle({ network, tabs }: Simulation): Promise<string[]> {
  const random = createRandom(0)
  for (let turn = 0; turn < MAX_ROUNDS; turn += 1) {
    while ((await network.step(random, false)) !== null);
    if (network.idle() && tabs().every((tab) => tab.busy().length === 0)) return []
    await network.clock.advance(2_500)
    await flushPromises()
  }
  const pending = tabs().filter((tab) => tab.busy().length > 0)
  return ['does not settle', ...pending.map((tab) => `${tab.label}: ${tab.busy().join(', ')}`)]
}
