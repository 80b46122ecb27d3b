import { i18n } from '@lingui/core'
import History from 'lucide-react/icons/history'
import X from 'lucide-react/icons/x'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { operatorName, OPERATORS } from './operators.ts'
import { clearSearches, recentSearches, removeSearch } from './recentSearches.ts'
import { SavedSearches } from './SavedSearches.tsx'
import styles from './SearchStart.module.css'
import { operatorHint } from './suggest.tsx'

interface Props {
  /** A search, or the beginning of one. */
  onPick: (text: string) => void
}

/** What is shown before anything is typed: saved searches, recent ones of this device, and what can be typed. */
export function SearchStart({ onPick }: Props) {
  const [recent, setRecent] = useState(recentSearches)
  return (
    <div className={styles.start}>
      <SavedSearches onPick={onPick} />
      {recent.length > 0 ? (
        <section aria-labelledby="recent-searches">
          <div className={styles.head}>
            <h2 id="recent-searches">{i18n._('Recent searches')}</h2>
            <Button
              variant="quiet"
              onClick={() => {
                clearSearches()
                setRecent([])
              }}
            >
              {i18n._('Clear')}
            </Button>
          </div>
          <ul>
            {recent.map((query) => (
              <li key={query} className={styles.row}>
                <button type="button" className={styles.query} data-recent onClick={() => onPick(query)}>
                  <Icon of={History} />
                  <bdi>{query}</bdi>
                </button>
                <IconButton
                  label={i18n._('Remove “{query}” from recent searches', { query })}
                  icon={<Icon of={X} />}
                  onClick={() => {
                    removeSearch(query)
                    setRecent(recentSearches())
                  }}
                />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section aria-labelledby="search-filters">
        <h2 id="search-filters" className={styles.head}>
          {i18n._('Narrow a search')}
        </h2>
        <dl className={styles.filters}>
          {OPERATORS.map((operator) => {
            const name = `${operatorName(operator)}:`
            return (
              <div key={operator} className={styles.filter}>
                <dt>
                  <button type="button" className={styles.operator} onClick={() => onPick(name)}>
                    {name}
                  </button>
                </dt>
                <dd>{operatorHint(operator)}</dd>
              </div>
            )
          })}
          <div className={styles.filter}>
            <dt>
              <code>{i18n._('"exact words"')}</code>
            </dt>
            <dd>{i18n._('These words next to each other')}</dd>
          </div>
          <div className={styles.filter}>
            <dt>
              <code>{i18n._('-word')}</code>
            </dt>
            <dd>{i18n._('Without this word; also before some filters')}</dd>
          </div>
        </dl>
      </section>
    </div>
  )
}
