import type { SideGroup } from '../../../data/sidebar/sections.ts'
import styles from './carry.module.css'
import { dropPlace, dropSection, type Drawn, type Drop } from './dropPlace.ts'
import { isByHand, mayStandIn } from './stepOf.ts'

/** What is taken hold of. */
export interface Load {
  kind: 'row' | 'section'
  id: string
  element: HTMLElement
}

/** So near to an edge, in pixels, the list scrolls by itself. */
const EDGE = 36

interface Carried {
  /** The pointer is there now. */
  to: (x: number, y: number) => void
  drop: () => Drop | null
  end: () => void
}

/** Draws what is carried under the pointer and where it would land; the rows themselves stay as they are. */
export function carry(
  list: HTMLElement,
  load: Load,
  groups: readonly SideGroup[],
  from: { clientX: number; clientY: number },
): Carried {
  const box = load.element.getBoundingClientRect()
  const ghost = load.element.cloneNode(true) as HTMLElement
  const line = document.createElement('div')
  const stage = document.createElement('div')
  stage.setAttribute('aria-hidden', 'true')
  stage.inert = true
  ghost.className += ` ${styles.ghost}`
  ghost.style.width = `${box.width}px`
  line.className = styles.line ?? ''
  stage.append(line, ghost)
  document.body.append(stage)
  load.element.classList.add(styles.left ?? '')
  const parts = partsFor(list, load, groups)
  let found: Drop | null = null
  let marked: HTMLElement | null = null
  let at = { x: from.clientX, y: from.clientY }
  let frame = requestAnimationFrame(scroll)

  function look() {
    const { top, left, width } = list.getBoundingClientRect()
    const y = at.y - top + list.scrollTop
    if (load.kind === 'row') found = dropPlace(parts, y)
    else found = { key: load.id, ...dropSection(parts, y) }
    ghost.style.translate = `${box.left + at.x - from.clientX}px ${box.top + at.y - from.clientY}px`
    line.hidden = found?.line === null || found === null
    line.style.width = `${width - 16}px`
    line.style.translate = `${left + 8}px ${top + (found?.line ?? 0) - list.scrollTop}px`
    const part =
      found && found.line === null ? list.querySelector<HTMLElement>(`[data-group="${found.key}"]`) : null
    if (part !== marked) marked?.classList.remove(styles.into ?? '')
    part?.classList.add(styles.into ?? '')
    marked = part
  }

  function scroll() {
    const { top, bottom } = list.getBoundingClientRect()
    const over = at.y < top + EDGE ? at.y - top - EDGE : at.y > bottom - EDGE ? at.y - bottom + EDGE : 0
    if (over !== 0) {
      list.scrollTop += over / 4
      look()
    }
    frame = requestAnimationFrame(scroll)
  }

  return {
    to: (x, y) => {
      at = { x, y }
      look()
    },
    drop: () => found,
    end: () => {
      cancelAnimationFrame(frame)
      stage.remove()
      marked?.classList.remove(styles.into ?? '')
      load.element.classList.remove(styles.left ?? '')
    },
  }
}

/** Parts with their rows, in pixels from the top of the list; read once, as something is picked up. */
function drawn(
  list: HTMLElement,
  groups: readonly SideGroup[],
  carried: string,
  allowed: (group: SideGroup) => boolean,
): Drawn[] {
  const origin = list.getBoundingClientRect().top - list.scrollTop
  return groups.flatMap((group) => {
    const part = list.querySelector<HTMLElement>(`[data-group="${group.key}"]`)
    const head = part?.querySelector('[data-head]')
    if (!part || !head) return []
    const { top, bottom } = part.getBoundingClientRect()
    const rows = [...part.querySelectorAll<HTMLElement>('[data-row]')]
      .filter((row) => row.dataset.row !== carried)
      .map((row) => row.getBoundingClientRect())
      .map((row) => ({ top: row.top - origin, bottom: row.bottom - origin }))
    return {
      key: group.key,
      top: top - origin,
      head: head.getBoundingClientRect().bottom - origin,
      bottom: bottom - origin,
      rows,
      count: group.items.filter((one) => one.id !== carried).length,
      byHand: isByHand(group),
      allowed: allowed(group),
    }
  })
}

function partsFor(list: HTMLElement, load: Load, groups: readonly SideGroup[]): Drawn[] {
  if (load.kind === 'section') {
    const others = groups.filter((group) => group.kind === 'own' && group.key !== load.id)
    return drawn(list, others, '', () => true)
  }
  const item = groups.flatMap((group) => group.items).find((one) => one.id === load.id)
  return drawn(list, groups, load.id, (group) => item !== undefined && mayStandIn(item, group))
}
