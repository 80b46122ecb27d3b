import { folded } from '../composer/mentionText.ts'

/** Those whose name has the query: at its start first, then at a word's start, then anywhere. Order else kept. */
export function rank<C extends { name: string }>(choices: C[], query: string): C[] {
  const wanted = folded(query.trim().replace(/^[#@]/, ''))
  if (!wanted) return choices
  const shelves: [C[], C[], C[]] = [[], [], []]
  for (const choice of choices) {
    const at = folded(choice.name).indexOf(wanted)
    if (at === 0) shelves[0].push(choice)
    else if (at > 0) shelves[/[\p{L}\p{N}]/u.test(folded(choice.name)[at - 1] ?? '') ? 2 : 1].push(choice)
  }
  return shelves.flat()
}
