import { isLookedInto } from './actor.ts'
import type { Scene } from './scene.ts'
import { settle } from './network/clock.ts'
import { chanceOf } from './random.ts'
import { wrongAnswers } from './truth/answers.ts'
import { differences } from './truth/compare.ts'
import { brokenRows } from './truth/rows.ts'
import { wrongSends } from './truth/sends.ts'
import { libraryOf, truthFor } from './truth/truth.ts'
import { keptBehindWalls } from './truth/walls.ts'

/** Heals everything, lets it come to rest, and says what is not as the tables have it. */
export async function settled(scene: Scene): Promise<string[]> {
  const { home, network } = scene
  for (const tab of scene.tabs()) {
    tab.device.asleep = false
    network.heal(tab.device)
  }
  for (const browser of scene.browsers) if (browser.tabs.length === 0) await scene.signIn(browser)
  const looks: (() => void)[] = []
  // Two rounds: after the first, everyone knows what others did while coming to rest.
  for (let round = 0; round < 2; round += 1) {
    const busy = await rest(scene)
    if (busy.length > 0) return busy
    for (const browser of scene.browsers) if (browser.tabs.length === 0) await scene.signIn(browser)
    for (const tab of scene.tabs()) {
      tab.engine.refresh()
      for (const { entry } of [...tab.store.get().channels.values()].filter(isLookedInto)) {
        looks.push(tab.engine.open(entry.channel.id))
        tab.views.open(entry.channel.id)
      }
    }
  }
  const busy = await rest(scene)
  if (busy.length > 0) return busy
  for (const tab of scene.tabs()) tab.keep()
  await settle()

  const library = libraryOf(await home.facts())
  const found = brokenRows(library)
  for (const browser of scene.browsers) {
    const truth = truthFor(library, browser.person.account)
    found.push(...(await wrongAnswers(home, browser.label, browser.caller, truth)))
    for (const tab of browser.tabs) found.push(...differences(tab, truth))
    found.push(...wrongSends(browser, library), ...keptBehindWalls(browser, truth))
  }
  for (const look of looks) look()
  return found
}

/** So many turns of 2.5 s until whoever waits still waits for ever: longer than the longest backing off. */
const TURNS = 80

/** Lets everything on the way arrive and every timer that something waits for run; says who does not rest. */
async function rest({ network, tabs }: Scene): Promise<string[]> {
  const chance = chanceOf(0)
  for (let turn = 0; turn < TURNS; turn += 1) {
    while ((await network.step(chance, false)) !== null);
    if (network.idle() && tabs().every((tab) => tab.busy().length === 0)) return []
    await network.clock.pass(2_500)
    await settle()
  }
  const restless = tabs().filter((tab) => tab.busy().length > 0)
  return ['does not come to rest', ...restless.map((tab) => `${tab.label}: ${tab.busy().join(', ')}`)]
}
