import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useMemo, type KeyboardEvent, type RefObject } from 'react'
import type { SearchHit } from '../../../../wire/messages.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { createMatcher } from './findMatches.ts'
import styles from './ResultList.module.css'
import { ResultItem } from './ResultItem.tsx'

interface Props {
  list: RefObject<HTMLElement | null>
  hits: readonly SearchHit[]
  highlights: readonly string[]
  /** Names of conversations by their id. */
  names: ReadonlyMap<string, string>
  isBusy: boolean
  /** The arrow key before the first result. */
  onUp: () => void
  onOpen: (hit: SearchHit) => void
}

/** The links of a list of results, in their order. */
export function resultLinks(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-result]') ?? [])]
}

/** Found messages: those of one conversation that follow each other are below its name. */
export function ResultList({ list, hits, highlights, names, isBusy, onUp, onOpen }: Props) {
  const findMatches = useMemo(() => createMatcher(highlights), [highlights])

  const found = new Set(hits.map(({ message }) => message.id))

  function onKeyDown(event: KeyboardEvent) {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return
    const links = resultLinks(list.current)
    const at = links.indexOf(event.target as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
    if (at < 0 || to === undefined) return
    event.preventDefault()
    if (to < 0) return onUp()
    const next = links[to]
    next?.focus({ preventScroll: true })
    next?.closest('article')?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <section
      ref={list}
      aria-label={i18n._('Messages')}
      aria-busy={isBusy}
      className={styles.list}
      onKeyDown={onKeyDown}
    >
      {groupsOf(hits).map((group) => {
        const [{ channel, message }] = group
        return (
          <div key={message.id}>
            <h2 className={styles.place}>
              <PlaceIcon kind={channel.kind} />
              <bdi>{names.get(channel.id) ?? channel.name ?? ''}</bdi>
            </h2>
            {group.map((hit) => (
              <ResultItem
                key={hit.message.id}
                hit={hit}
                hidesBefore={hit.before !== null && found.has(hit.before.id)}
                hidesAfter={hit.after !== null && found.has(hit.after.id)}
                findMatches={findMatches}
                onOpen={onOpen}
              />
            ))}
          </div>
        )
      })}
    </section>
  )
}

function PlaceIcon({ kind }: { kind: SearchHit['channel']['kind'] }) {
  if (kind === 'public') return <Icon of={Hash} />
  return kind === 'private' ? <Icon of={Lock} label={i18n._('private')} /> : <Icon of={AtSign} />
}

type Group = [SearchHit, ...SearchHit[]]

/** Results of the same conversation that follow each other. */
function groupsOf(hits: readonly SearchHit[]): Group[] {
  const groups: Group[] = []
  for (const hit of hits) {
    const last = groups.at(-1)
    if (last?.[0].channel.id === hit.channel.id) last.push(hit)
    else groups.push([hit])
  }
  return groups
}
