import { i18n } from '@lingui/core'
import type { ListedFile } from '../../../../../wire/files.ts'
import type { FileFilter } from '../../../../data/files/listing/fileList.ts'
import type { Pages } from '../../../../data/queries/pagedQuery.ts'
import { useConnection } from '../../../../data/session/useWorkspace.ts'
import { Button } from '../../../../ui/Button.tsx'
import { EmptyState } from '../../../../ui/EmptyState.tsx'
import { ListEnd } from '../../lists/ListEnd.tsx'
import styles from './FileBrowser.module.css'
import { FileItems } from './FileItems.tsx'
import { useConversationNames } from './useConversationNames.ts'

interface Props {
  filter: FileFilter
  list: Pages<ListedFile>
  /** Whether files are tiles of a grid; otherwise rows. */
  isGrid: boolean
  isFiltered: boolean
  /** Removes the filters. */
  onAll: () => void
  /** Leads to the conversation, where files can be sent. */
  onWrite: () => void
}

/** The files of a channel, or of all readable conversations, newest first. */
export function FileBrowser({ filter, list, isGrid, isFiltered, onAll, onWrite }: Props) {
  const files = list.value ?? []
  const offline = useConnection() === 'offline'
  const conversationNames = useConversationNames(filter.channelId === null)
  const count = files.length
  return (
    <>
      {offline && count > 0 ? (
        <p className={styles.note} role="status">
          {i18n._('You’re offline. Showing the files from your last visit.')}
        </p>
      ) : null}
      {count > 0 ? (
        <FileItems
          files={files}
          tiles={isGrid}
          busy={list.isFetching}
          conversationNames={conversationNames}
          onMore={() => list.more?.()}
        />
      ) : null}
      <ListEnd
        list={offline ? { ...list, failure: null, more: list.failure ? null : list.more } : list}
        loading={i18n._('Loading the files')}
        offline={i18n._('You’re offline. Files will load when you reconnect.')}
        moreLabel={i18n._('Load older files')}
        empty={
          <Empty
            isFiltered={isFiltered}
            channel={filter.channelId !== null}
            onAll={onAll}
            onWrite={onWrite}
          />
        }
      />
      <p className="visually-hidden" role="status">
        {list.value && isFiltered
          ? i18n._('{count, plural, one {# file} other {# files}} found', { count })
          : ''}
      </p>
    </>
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
