import { i18n } from '@lingui/core'
import { fileList, type FileFilter } from '../../../../data/files/listing/fileList.ts'
import { usePagedQuery } from '../../../../data/queries/pagedQuery.ts'
import { useConnection } from '../../../../data/session/useWorkspace.ts'
import { EmptyState } from '../../../../ui/EmptyState.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { Skeleton } from '../../../../ui/Skeleton.tsx'
import { useNearEnd } from '../../../../ui/useNearEnd.ts'
import styles from './FileBrowser.module.css'
import { FileItems } from './FileItems.tsx'
import { Filters } from './Filters.tsx'
import { useScrollRestoration } from '../../../../ui/useScrollRestoration.ts'
import { useConversationNames } from './useConversationNames.ts'

interface Props {
  filter: FileFilter
  onFilter: (change: Partial<FileFilter>, replace?: boolean) => void
  /** Leads to the conversation, where files can be sent. */
  onWrite: () => void
}

/** The files of a channel, or of all readable conversations, newest first. */
export function FileBrowser({ filter, onFilter, onWrite }: Props) {
  const { value, failure, isFetching, more, retry } = usePagedQuery(fileList, [filter], {
    keepsPrevious: false,
  })
  const files = value ?? []
  const loadMore = () => more?.()
  const offline = useConnection() === 'offline'
  const conversationNames = useConversationNames(filter.channelId === null)
  const end = useNearEnd(loadMore)
  const count = files.length
  const isFiltered = filter.kind !== null || filter.author !== null || filter.terms !== ''
  const scroller = useScrollRestoration(JSON.stringify(filter), count > 0)
  return (
    <div ref={scroller} className={styles.scroller}>
      <div className={styles.top}>
        <Filters filter={filter} onChange={onFilter} />
        {offline ? (
          <p className={styles.note} role="status">
            {count > 0
              ? i18n._('You’re offline. Showing the files from your last visit.')
              : i18n._('You’re offline. Files will load when you reconnect.')}
          </p>
        ) : null}
      </div>
      {count > 0 ? (
        <FileItems
          files={files}
          tiles={filter.kind === 'picture'}
          busy={isFetching}
          conversationNames={conversationNames}
          onMore={loadMore}
        />
      ) : null}
      {!value && !failure && !offline ? <Skeleton label={i18n._('Loading the files')} rows={8} /> : null}
      {value && count === 0 ? (
        <Empty
          isFiltered={isFiltered}
          channel={filter.channelId !== null}
          onAll={() => onFilter({ kind: null, author: null, terms: '' })}
          onWrite={onWrite}
        />
      ) : null}
      {failure && !offline ? (
        <div className={styles.error} role="alert">
          <p>{failure.message}</p>
          <Button onClick={retry}>{i18n._('Try again')}</Button>
        </div>
      ) : null}
      {more && !failure ? (
        <div ref={end} className={styles.older}>
          <Button variant="quiet" busy={isFetching} onClick={more}>
            {i18n._('Load older files')}
          </Button>
        </div>
      ) : null}
      <p className="visually-hidden" role="status">
        {value && isFiltered ? i18n._('{count, plural, one {# file} other {# files}} found', { count }) : ''}
      </p>
    </div>
  )
}

interface EmptyProps {
  isFiltered: boolean
  channel: boolean
  onAll: () => void
  onWrite: () => void
}

function Empty({ isFiltered, channel, onAll, onWrite }: EmptyProps) {
  if (isFiltered)
    return (
      <EmptyState
        title={i18n._('Nothing found')}
        text={i18n._('No files match. Try a shorter name, another type or another person.')}
      >
        <Button onClick={onAll}>{i18n._('Show all files')}</Button>
      </EmptyState>
    )
  return (
    <EmptyState
      title={i18n._('No files yet')}
      text={i18n._(
        'Files shared in messages show up here. Drag one into a conversation, paste it, or use the + button in the message box.',
      )}
    >
      {channel ? <Button onClick={onWrite}>{i18n._('Go to the conversation')}</Button> : null}
    </EmptyState>
  )
}
