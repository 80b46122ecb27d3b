import { isLookedInto } from './actor.ts'
import type { Actor } from './actor.ts'
import { noReading } from './browser.ts'
import type { Scene } from './scene.ts'
import { settle } from './network/clock.ts'
import { chanceOf } from './random.ts'
import { wrongAnswers } from './truth/answers.ts'
import { differences } from './truth/compare.ts'
import { lostReads } from './truth/reads.ts'
import { brokenRows } from './truth/rows.ts'
import { wrongSends } from './truth/sends.ts'
import { libraryOf, truthFor } from './truth/truth.ts'
import { keptBehindWalls } from './truth/walls.ts'

/** Heals everything, lets it come to rest, and says what is not as the tables have it. */
export async function settled(scene: Scene): Promise<string[]> {
  for (const tab of scene.tabs()) {
    tab.device.asleep = false
    scene.network.heal(tab.device)
  }
  // After the first round everyone knows what others did while coming to rest. What was changed in the last one
  // where nobody listened gets one more.
  const looks: (() => void)[] = []
  await round(scene, looks)
  await round(scene, looks)
  let found = await compared(scene)
  if (found.length > 0) {
    await round(scene, looks)
    found = await compared(scene)
  }
  for (const look of looks) look()
  for (const browser of scene.browsers) browser.reading = noReading()
  return found
}

/** Everybody signs in, comes to rest, asks anew and looks into what nothing tells of. */
async function round(scene: Scene, looks: (() => void)[]): Promise<void> {
  for (const browser of scene.browsers) if (browser.tabs.length === 0) await scene.signIn(browser)
  await rest(scene)
  for (const browser of scene.browsers) if (browser.tabs.length === 0) await scene.signIn(browser)
  for (const tab of scene.tabs()) {
    tab.engine.refresh()
    lookAtEnds(tab)
    for (const { entry } of [...tab.store.get().channels.values()].filter(isLookedInto)) {
      looks.push(tab.engine.open(entry.channel.id))
      tab.views.open(entry.channel.id)
    }
  }
}

/** As a list does whose last rows are in view: asks for more after them. */
function lookAtEnds({ opened, thread, views, threads }: Actor) {
  if (opened && views.get(opened.channel).anchor === 'end') views.loadAfter(opened.channel)
  if (thread && threads.get(thread.root).anchor === 'end') threads.loadAfter(thread.channel, thread.root)
}

async function compared(scene: Scene): Promise<string[]> {
  const busy = await rest(scene)
  if (busy.length > 0) return busy
  for (const tab of scene.tabs()) tab.keep()
  await settle()
  const library = libraryOf(await scene.home.facts())
  const found = [...brokenRows(library), ...lostReads(scene.browsers, library)]
  for (const browser of scene.browsers) {
    const truth = truthFor(library, browser.person.account)
    found.push(...(await wrongAnswers(scene.home, browser.label, browser.caller, truth)))
    for (const tab of browser.tabs) found.push(...differences(tab, truth))
    found.push(...wrongSends(browser, library), ...keptBehindWalls(browser, truth))
  }
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
