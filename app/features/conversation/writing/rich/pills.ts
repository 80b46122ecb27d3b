import type { Node } from 'prosemirror-model'
import type { NodeView } from 'prosemirror-view'

/** A mention or an emoji in the field, whose content React renders into its element. */
export interface Pill {
  id: number
  element: HTMLElement
  node: Node
}

/** The pills of one field. */
export interface Pills {
  subscribe: (changed: () => void) => () => void
  list: () => readonly Pill[]
  /** Creates the element of a node of the document. */
  view: (node: Node) => NodeView
}

let lastId = 0

/** Creates the list of the pills of one field. A field has at most as many as a message has nodes. */
export function createPills(): Pills {
  let pills: readonly Pill[] = []
  const watchers = new Set<() => void>()
  const change = (next: readonly Pill[]) => {
    pills = next
    for (const changed of watchers) changed()
  }
  return {
    subscribe(changed) {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    list: () => pills,
    view(node) {
      const element = document.createElement('span')
      element.contentEditable = 'false'
      element.dataset['pill'] = node.type.name
      lastId += 1
      const pill = { id: lastId, element, node }
      change([...pills, pill])
      return {
        dom: element,
        update: (next) => next.sameMarkup(node),
        ignoreMutation: () => true,
        destroy: () => change(pills.filter((one) => one !== pill)),
      }
    },
  }
}
