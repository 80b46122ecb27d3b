import { i18n } from '@lingui/core'
import Bookmark from 'lucide-react/icons/bookmark'
import BookmarkCheck from 'lucide-react/icons/bookmark-check'
import { useEffect, useRef, useState } from 'react'
import { formatAddress, pathTo } from '../../paths.ts'
import { changeEntryState, navigate, readEntryState } from '../../historyState.ts'
import { usePageQuery } from '../../ui/pageAddress.ts'
import type { SavedSearch, SearchHit } from '../../../wire/messages.ts'
import { useClientSession } from '../../data/hooks/useClientSession.ts'
import { usePagedQuery, type Pages } from '../../data/queries/pagedQuery.ts'
import { useSavedSearches } from '../../data/search/savedSearches.ts'
import { messageSearch, type SearchRequest, type SearchSummary } from '../../data/search/useSearch.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { useIsDisconnected } from '../../features/parts/useIsDisconnected.ts'
import { FileMatches } from '../../features/flows/search/FileMatches.tsx'
import { FilterChips } from '../../features/flows/search/FilterChips.tsx'
import { findStoredMessages } from '../../features/flows/search/findStoredMessages.ts'
import { NamedMatches } from '../../features/flows/search/NamedMatches.tsx'
import {
  parseQuery,
  splitTerms,
  type ParsedQuery,
  type QueryContext,
} from '../../features/flows/search/parseQuery.ts'
import { problemSentence } from '../../features/flows/search/problemSentence.ts'
import { recordSearch } from '../../features/flows/search/recentSearches.ts'
import { ResultList, resultLinks } from '../../features/flows/search/ResultList.tsx'
import { SavedSearchDialog } from '../../features/flows/search/SavedSearchDialog.tsx'
import { SearchField } from '../../features/flows/search/SearchField.tsx'
import { SearchStart } from '../../features/flows/search/SearchStart.tsx'
import { searchPathOf } from '../../features/flows/search/searchPathOf.ts'
import { useQueryContext } from '../../features/flows/search/useQueryContext.ts'
import { announce } from '../../ui/announce.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useToast } from '../../ui/toast.ts'
import { TOUCH, useMedia } from '../../ui/useMedia.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListEnd } from '../../features/parts/lists/ListEnd.tsx'
import { ListPage } from '../../shell/ListPage.tsx'
import styles from './SearchPage.module.css'
import { shortcutKey } from '../../ui/shortcutKey.ts'

/** Milliseconds after the last keystroke until the search is sent. */
const DEBOUNCE_MS = 300
/**
 * The minimum length of a word that is searched before Enter is pressed. A single letter is in nearly every message.
 */
const MIN_CHARACTERS = 2

type Order = 'newest' | 'relevance'
type Results = Pages<SearchHit, SearchSummary>

const NO_REQUEST: SearchRequest = { text: '', filters: {} }
const NO_RESULTS: Pick<Results, 'value' | 'summary'> = { value: undefined, summary: undefined }

/**
 * The page that searches messages, and channels, people and files by name. The query is part of the URL. The
 * parameter `in` starts a search within a channel.
 */
export default function SearchPage() {
  const urlQuery = usePageQuery()
  const query = urlQuery.get('q') ?? ''
  const channelId = urlQuery.get('in')
  const order: Order = urlQuery.get('sort') === 'relevance' ? 'relevance' : 'newest'
  const context = useQueryContext()
  const parsed = parseQuery(query, context)
  const request = requestOf(parsed, order)
  const isLive = useClientSession((session) => session?.store.get().source === 'live')
  const results = usePagedQuery(isLive && request ? messageSearch : null, [request ?? NO_REQUEST])
  const { value: hits = [], summary } = request === null ? NO_RESULTS : results
  const isDisconnected = useIsDisconnected()
  const channels = useClientSession((session) => session?.store.get().channels)
  const stored =
    isDisconnected && request && channels && results.value === undefined
      ? findStoredMessages(channels, request)
      : null
  const { text, setText, commit, setOrder } = useTypedQuery(query, order)
  const saved = useSavedSearches().find((one) => one.query === query)
  const [searchToSave, setSearchToSave] = useState<SavedSearch | string | null>(null)
  const showToast = useToast()
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLElement>(null)
  const isTouch = useMedia(TOUCH)
  const names = new Map(context.conversations.map((one) => [one.id, one.name]))
  const path = channelId === null ? null : searchPathOf(channelId, context)
  useEffect(() => {
    if (path) navigate(path, { replace: true })
  }, [path])
  useSearchKey(field)
  // By touch the keyboard would cover the results.
  useFirstFocus(field, list, !isTouch || query === '')
  useAnnouncement(query, results)

  function changeText(next: string, isComplete: boolean) {
    setText(next)
    if (isComplete) commit(next)
    else {
      field.current?.focus()
      // The suggestions are those at the caret, which the browser moves to the end of a new value.
      requestAnimationFrame(() => field.current?.click())
    }
  }

  function pick(picked: string) {
    if (picked.endsWith(':')) return changeText(picked, false)
    changeText(textOf(picked), true)
    // The picked button disappears.
    if (!isTouch) field.current?.focus()
  }

  return (
    <ListPage
      title={i18n._('Search')}
      list={`${query} ${order}`}
      isReady={hits.length > 0}
      top={
        <search className={styles.top}>
          <SearchField
            field={field}
            text={text}
            context={context}
            onChange={setText}
            onCommit={() => {
              commit(text)
              recordSearch(text)
            }}
            onDown={() => resultLinks(list.current)[0]?.focus()}
          />
          <div className={styles.filters}>
            <FilterChips text={text} written={parseQuery(text, context).written} onChange={changeText} />
            {request ? (
              <div className={styles.actions}>
                <select
                  className={styles.sort}
                  aria-label={i18n._('Sort by')}
                  value={order}
                  onChange={(event) => setOrder(event.currentTarget.value as Order)}
                >
                  <option value="newest">{i18n._('Newest first')}</option>
                  <option value="relevance">{i18n._('Most relevant first')}</option>
                </select>
                <IconButton
                  label={saved ? i18n._('Rename {name}', { name: saved.name }) : i18n._('Save this search')}
                  icon={<Icon of={saved ? BookmarkCheck : Bookmark} />}
                  onClick={() => setSearchToSave(saved ?? query)}
                />
              </div>
            ) : null}
          </div>
        </search>
      }
    >
      <Problems parsed={parsed} />
      {request ? <ByName parsed={parsed} context={context} /> : null}
      {summary ? (
        <>
          {summary.corrected === null ? null : (
            <p className={styles.note}>
              {i18n._('Showing results for “{query}”.', { query: summary.corrected })}
            </p>
          )}
          <ResultList
            list={list}
            hits={hits}
            highlights={summary.highlights}
            names={names}
            isBusy={results.isFetching}
            onUp={() => field.current?.focus()}
            onOpen={({ message }: SearchHit) => {
              recordSearch(query)
              changeEntryState({ result: message.id })
            }}
          />
        </>
      ) : null}
      {stored ? (
        <>
          <p className={styles.note} role="status">
            {i18n._(
              '{count, plural, =0 {No messages on this device match.} one {# message on this device matches.} other {# messages on this device match.}}',
              { count: stored.hits.length },
            )}
          </p>
          <ResultList
            list={list}
            hits={stored.hits}
            highlights={stored.highlights}
            names={names}
            isBusy={false}
            onUp={() => field.current?.focus()}
            onOpen={({ message }: SearchHit) => changeEntryState({ result: message.id })}
          />
        </>
      ) : request ? (
        <Below
          results={results}
          isFiltered={parsed.written.some(({ problem, value }) => value && !problem)}
          isRanked={order === 'relevance'}
          onWithoutFilters={() => changeText(parsed.text, true)}
        />
      ) : (
        <SearchStart onPick={pick} />
      )}
      {searchToSave !== null ? (
        <SavedSearchDialog
          search={searchToSave}
          onSaved={() => showToast({ text: i18n._('Search saved.') })}
          onClose={() => setSearchToSave(null)}
        />
      ) : null}
    </ListPage>
  )
}

/** Returns the request of a search; null if there is nothing to search for. */
function requestOf({ text, filters }: ParsedQuery, order: Order): SearchRequest | null {
  if (!text && Object.keys(filters).length === 0) return null
  return { text, filters: { ...filters, order } }
}

/** Adds a space after a filter at the end, so that the next word is not part of the filter. */
function textOf(query: string): string {
  return splitTerms(query).at(-1)?.operator ? `${query} ` : query
}

/**
 * Returns the text in the field, which becomes the query of the URL after a pause. Typing replaces the entry of the
 * browser's history. Enter, or opening a result, completes the entry.
 */
function useTypedQuery(query: string, order: Order) {
  const [typed, setTyped] = useState({ text: textOf(query), applied: query })
  const isComplete = useRef(true)
  // The URL changed, for example by going back.
  if (typed.applied !== query) setTyped({ text: textOf(query), applied: query })
  const { text, applied } = typed

  function apply(next: string, sort: Order, replace: boolean) {
    const q = next.trim()
    setTyped({ text: next, applied: q })
    navigate(formatAddress(pathTo('search'), { q, sort: sort === 'newest' ? null : sort }), { replace })
  }
  // The first search replaces the empty page, and each keystroke the search before it.
  const isSameEntry = () => !isComplete.current || applied === ''

  useEffect(() => {
    const next = text.trim()
    if (next === applied || (next && next.length < MIN_CHARACTERS)) return
    const timer = setTimeout(() => {
      apply(text, order, isSameEntry())
      isComplete.current = false
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  })

  return {
    text,
    setText: (next: string) => setTyped({ text: next, applied }),
    commit: (next: string) => {
      if (next.trim() !== applied) apply(next, order, isSameEntry())
      isComplete.current = true
    },
    setOrder: (sort: Order) => apply(text, sort, true),
  }
}

/** Makes the key that opens the page select the text of the search while the page is open. */
function useSearchKey(field: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { shiftKey, ctrlKey, metaKey, altKey } = event
      if (shortcutKey(event) !== 'f' || !shiftKey || altKey || !(ctrlKey || metaKey)) return
      event.preventDefault()
      event.stopPropagation()
      field.current?.select()
    }
    addEventListener('keydown', onKeyDown, true)
    return () => removeEventListener('keydown', onKeyDown, true)
  }, [field])
}

/** Focuses the result that was opened before, else the field if `shouldFocus`. */
function useFirstFocus(
  field: React.RefObject<HTMLInputElement | null>,
  list: React.RefObject<HTMLElement | null>,
  shouldFocus: boolean,
): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    const { result } = readEntryState()
    const link = resultLinks(list.current).find((one) => one.dataset['result'] === result)
    if (link) {
      link.focus({ preventScroll: true })
      link.closest('article')?.scrollIntoView({ block: 'nearest' })
    } else if (shouldFocus) field.current?.focus()
  })
}

/** Announces the number of results, once for each search. */
function useAnnouncement(query: string, { value, isPrevious, isFetching, more }: Results): void {
  const announced = useRef<string | null>(null)
  const isSettled = value !== undefined && !isPrevious && !isFetching
  const count = value?.length ?? 0
  const hasMore = more !== null
  useEffect(() => {
    if (!isSettled || announced.current === query) return
    announced.current = query
    announce(
      hasMore
        ? i18n._('{count, plural, one {At least # message} other {At least # messages}} found', { count })
        : i18n._('{count, plural, one {# message} other {# messages}} found', { count }),
    )
  }, [query, isSettled, count, hasMore])
}

function Problems({ parsed }: { parsed: ParsedQuery }) {
  const sentences = parsed.written.flatMap((filter) => problemSentence(filter) ?? [])
  if (sentences.length === 0) return null
  return (
    <ul className={styles.note}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}

interface ByNameProps {
  parsed: ParsedQuery
  context: QueryContext
}

/** Displays channels, people and files whose names match the search, if its words can be part of a name. */
function ByName({ parsed: { text, filters }, context }: ByNameProps) {
  if (!text || /["-]/.test(text)) return null
  const { from, in: channels, ...others } = filters
  if (Object.keys(others).length > 0 || (from?.length ?? 0) > 1 || (channels?.length ?? 0) > 1) return null
  return (
    <>
      {from || channels ? null : <NamedMatches text={text} context={context} />}
      <FileMatches
        terms={text}
        channelId={channels?.[0] ?? null}
        author={from?.[0] ?? null}
        names={new Map(context.conversations.map((one) => [one.id, titleOf(one)]))}
      />
    </>
  )
}

interface BelowProps {
  results: Results
  isFiltered: boolean
  isRanked: boolean
  onWithoutFilters: () => void
}

/** Displays the button for more results, or the reason why there are none. */
function Below({ results, isFiltered, isRanked, onWithoutFilters }: BelowProps) {
  const { value, isPrevious, failure, isFetching, more } = results
  if (value?.length === 0 && more !== null && !isPrevious && !failure) {
    return (
      <EmptyState text={isFetching ? null : i18n._('Nothing found in recent messages.')}>
        <Button variant="quiet" busy={isFetching} onClick={more}>
          {i18n._('Search older messages')}
        </Button>
      </EmptyState>
    )
  }
  return (
    <>
      <ListEnd
        list={isPrevious ? { ...results, value: undefined } : results}
        loading={i18n._('Searching')}
        offline={i18n._('You’re offline. The search continues when you reconnect.')}
        moreLabel={i18n._('Search older messages')}
        empty={
          <EmptyState
            title={i18n._('No messages found')}
            text={i18n._('Check the spelling, use fewer words, or only the beginning of a word.')}
          >
            {isFiltered ? (
              <Button onClick={onWithoutFilters}>{i18n._('Search without filters')}</Button>
            ) : null}
          </EmptyState>
        }
      />
      {value?.length && !isPrevious && !failure && more === null ? (
        <p className={styles.end}>
          {isRanked ? i18n._('These are the best matches.') : i18n._('These are all matches.')}
        </p>
      ) : null}
    </>
  )
}
