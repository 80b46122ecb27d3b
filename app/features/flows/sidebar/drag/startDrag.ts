import type { SidebarGroup } from '../../../../data/sidebar/sections.ts'
import styles from './startDrag.module.css'
import { dropTargetAt, sectionTargetAt, type GroupLayout, type DropTarget } from './dropTarget.ts'
import { isManuallyOrdered, canContain } from './nextPosition.ts'

/** What is being dragged. */
export interface DragSource {
  kind: 'row' | 'section'
  id: string
  element: HTMLElement
}

/** Distance from an edge, in pixels, within which the list scrolls. */
const EDGE = 36

interface Drag {
  /** The pointer has moved. */
  moveTo: (x: number, y: number) => void
  drop: () => DropTarget | null
  end: () => void
}

/** Shows a preview under the pointer and the drop target; the rows themselves don't move. */
export function startDrag(
  list: HTMLElement,
  source: DragSource,
  groups: readonly SidebarGroup[],
  from: { clientX: number; clientY: number },
): Drag {
  const box = source.element.getBoundingClientRect()
  const preview = source.element.cloneNode(true) as HTMLElement
  const line = document.createElement('div')
  const layer = document.createElement('div')
  layer.setAttribute('aria-hidden', 'true')
  layer.inert = true
  preview.className += ` ${styles.preview}`
  preview.style.width = `${box.width}px`
  line.className = styles.line ?? ''
  layer.append(line, preview)
  document.body.append(layer)
  source.element.classList.add(styles.source ?? '')
  const layouts = measureTargets(list, source, groups)
  let target: DropTarget | null = null
  let markedGroup: HTMLElement | null = null
  let at = { x: from.clientX, y: from.clientY }
  let frame = requestAnimationFrame(scroll)

  function update() {
    const { top, left, width } = list.getBoundingClientRect()
    const y = at.y - top + list.scrollTop
    if (source.kind === 'row') target = dropTargetAt(layouts, y)
    else target = { key: source.id, ...sectionTargetAt(layouts, y) }
    preview.style.translate = `${box.left + at.x - from.clientX}px ${box.top + at.y - from.clientY}px`
    line.hidden = target?.line === null || target === null
    line.style.width = `${width - 16}px`
    line.style.translate = `${left + 8}px ${top + (target?.line ?? 0) - list.scrollTop}px`
    const groupElement =
      target && target.line === null ? list.querySelector<HTMLElement>(`[data-group="${target.key}"]`) : null
    if (groupElement !== markedGroup) markedGroup?.classList.remove(styles.target ?? '')
    groupElement?.classList.add(styles.target ?? '')
    markedGroup = groupElement
  }

  function scroll() {
    const { top, bottom } = list.getBoundingClientRect()
    const over = at.y < top + EDGE ? at.y - top - EDGE : at.y > bottom - EDGE ? at.y - bottom + EDGE : 0
    if (over !== 0) {
      list.scrollTop += over / 4
      update()
    }
    frame = requestAnimationFrame(scroll)
  }

  return {
    moveTo: (x, y) => {
      at = { x, y }
      update()
    },
    drop: () => target,
    end: () => {
      cancelAnimationFrame(frame)
      layer.remove()
      markedGroup?.classList.remove(styles.target ?? '')
      source.element.classList.remove(styles.source ?? '')
    },
  }
}

/** Layouts of the groups, in pixels from the top of the list; measured once, when the drag starts. */
function measureGroups(
  list: HTMLElement,
  groups: readonly SidebarGroup[],
  draggedId: string,
  isAllowed: (group: SidebarGroup) => boolean,
): GroupLayout[] {
  const origin = list.getBoundingClientRect().top - list.scrollTop
  return groups.flatMap((group) => {
    const element = list.querySelector<HTMLElement>(`[data-group="${group.key}"]`)
    const head = element?.querySelector('[data-header]')
    if (!element || !head) return []
    const { top, bottom } = element.getBoundingClientRect()
    const rows = [...element.querySelectorAll<HTMLElement>('[data-row]')]
      .filter((row) => row.dataset.row !== draggedId)
      .map((row) => row.getBoundingClientRect())
      .map((row) => ({ top: row.top - origin, bottom: row.bottom - origin }))
    return {
      key: group.key,
      top: top - origin,
      head: head.getBoundingClientRect().bottom - origin,
      bottom: bottom - origin,
      rows,
      count: group.items.filter((one) => one.id !== draggedId).length,
      isManuallyOrdered: isManuallyOrdered(group),
      isAllowed: isAllowed(group),
    }
  })
}

function measureTargets(
  list: HTMLElement,
  source: DragSource,
  groups: readonly SidebarGroup[],
): GroupLayout[] {
  if (source.kind === 'section') {
    const others = groups.filter((group) => group.kind === 'section' && group.key !== source.id)
    return measureGroups(list, others, '', () => true)
  }
  const item = groups.flatMap((group) => group.items).find((one) => one.id === source.id)
  return measureGroups(list, groups, source.id, (group) => item !== undefined && canContain(item, group))
}
