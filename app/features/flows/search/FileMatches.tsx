import { i18n } from '@lingui/core'
import { Link } from '../../../ui/Link.tsx'
import { formatAddress, pathTo } from '../../../paths.ts'
import { fileList } from '../../../data/files/listing/fileList.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { FileItems } from '../../parts/files/browser/FileItems.tsx'
import styles from './FileMatches.module.css'

const MAX_SHOWN = 3

interface Props {
  /** Parts of words of the name. */
  terms: string
  channelId: string | null
  author: string | null
  names: ReadonlyMap<string, string>
}

/** The latest files whose names contain the words of a search. */
export function FileMatches({ terms, channelId, author, names }: Props) {
  const filter = { channelId, kind: null, author, terms }
  const { value: files = [] } = usePagedQuery(fileList, [filter], { keepsPrevious: false })
  if (files.length === 0) return null
  const path = channelId ? pathTo('channelFiles', { channelId }) : pathTo('files')
  return (
    <section className={styles.files} aria-label={i18n._('Files')}>
      <div className={styles.head}>
        <h2>{i18n._('Files')}</h2>
        {files.length > MAX_SHOWN ? (
          <Link href={formatAddress(path, { name: terms, by: author })}>{i18n._('Show all files')}</Link>
        ) : null}
      </div>
      <FileItems
        files={files.slice(0, MAX_SHOWN)}
        tiles={false}
        busy={false}
        conversationNames={names}
        onMore={() => {}}
      />
    </section>
  )
}
