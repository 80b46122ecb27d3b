import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readAuthSettings } from '../auth/settings/authSettings.ts'
import { createCaptcha } from '../auth/limits/captcha.ts'
import { createSettingsReader } from '../auth/settings/createSettingsReader.ts'
import { readSmsProviderSettings } from '../optional/sms/createSmsProvider.ts'
import { signingKeysFile } from '../startup/signingKeysFile.ts'
import { validateConfig } from '../startup/validateConfig.ts'
import { keysByVariable, readEnvironmentKeys } from './environmentKeys.ts'
import { exposedSchemas } from './exposedSchemas.ts'
import { knownKeys } from './knownKeys.ts'
import { type Config, ConfigError, loadConfig } from './loadConfig.ts'

let project = ''
let dir = ''

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'linnet-config-'))
  dir = join(project, 'supabase')
  mkdirSync(dir)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(project, { recursive: true })
})

function read(toml: string): Config {
  writeFileSync(join(dir, 'config.toml'), toml)
  return loadConfig(dir)
}

describe('warnings', () => {
  it("are absent for the official CLI's template", () => {
    const { warnings } = read(`
project_id = "todo"
[api]
enabled = true
port = 54321
schemas = ["public", "graphql_public"]
[api.tls]
enabled = false
[db]
port = 54322
major_version = 17
orioledb_version = ""
[db.pooler]
enabled = false
port = 54329
[studio]
enabled = true
port = 54323
openai_api_key = "env(OPENAI_API_KEY)"
[local_smtp]
enabled = true
port = 54324
[storage.s3_protocol]
enabled = true
[storage.vector]
enabled = true
max_buckets = 10
[auth]
site_url = "http://127.0.0.1:3000"
enable_manual_linking = false
[auth.email]
enabled = true
[auth.sms]
enabled = false
[auth.sms.twilio]
enabled = false
account_sid = ""
auth_token = "env(SUPABASE_AUTH_SMS_TWILIO_AUTH_TOKEN)"
[auth.external.apple]
enabled = false
client_id = ""
secret = "env(SUPABASE_AUTH_EXTERNAL_APPLE_SECRET)"
[edge_runtime]
policy = "per_worker"
[analytics]
backend = "postgres"
[experimental]
s3_host = "env(S3_HOST)"
[experimental.pgdelta]
enabled = true
`)
    expect(warnings).toEqual([])
  })

  it("are absent for Linnet's own file", () => {
    expect(loadConfig(join(import.meta.dirname, '../../supabase')).warnings).toEqual([])
  })

  it('name keys without effect once, by their table if it contains several', () => {
    const { warnings } = read(`
[studio]
port = 9000
[db]
root_key = "key"
port = 5
[db.pooler]
enabled = false
default_pool_size = 7
`)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(
      /config\.toml: these keys have no effect: studio\.port in line 3 \(.*\); db\.root_key in line 5 \(.*\); db\.port in line 6/,
    )
    expect(warnings[0]).not.toMatch(/pooler/)
  })

  it('name unknown keys with a suggestion', () => {
    const { warnings } = read(`
[auth]
enable_singup = true
enable_confirmations = true
[databse]
port = 1
`)
    expect(warnings[0]).toContain('line 3: unknown key auth.enable_singup (did you mean auth.enable_signup?)')
    expect(warnings[0]).toContain('auth.enable_confirmations (did you mean auth.email.enable_confirmations?)')
    expect(warnings[0]).toContain('databse')
  })

  it('name unknown keys of a remote, but not its unsupported ones', () => {
    const { warnings } = read(`
[remotes.production]
project_id = "abcdefghijklmnopqrst"
[remotes.production.auth.external.github]
enabled = true
[remotes.production.api]
max_row = 5
`)
    expect(warnings).toEqual([
      `${join(dir, 'config.toml')}, line 7: unknown key remotes.production.api.max_row (did you mean remotes.production.api.max_rows?).`,
    ])
  })
})

describe('config.json', () => {
  it('is read in the place of config.toml, with comments and trailing commas', () => {
    vi.stubEnv('LINNET_TEST_ROWS', '25')
    writeFileSync(join(dir, 'config.toml'), '[api]\nmax_rows = 1\nport = 1\n')
    const json = `{ "$schema": "https://example.com", // for the editor
      "api": { "max_rows": "env(LINNET_TEST_ROWS)", "max_row": 1, }, }`
    writeFileSync(join(dir, 'config.jsonc'), json)
    const config = loadConfig(dir)
    expect([config.at('api.max_rows', 0), config.at('api.port', 7)]).toEqual([25, 7])
    expect(config.warnings).toEqual([
      `${join(dir, 'config.jsonc')}: unknown key api.max_row (did you mean api.max_rows?).`,
    ])
    writeFileSync(join(dir, 'config.json'), '{"api": {"port": 8}}')
    expect(loadConfig(dir).at('api.port', 7)).toBe(8)
    for (const [text, reason] of [
      ['{"pass": "secret" "x"}', "config.json can't be read: it is not valid JSON."],
      ['[]', "config.json can't be read: it must be an object."],
      ['{"api": {"port": "x"}}', 'config.json: api.port must be a number'],
    ] as const) {
      writeFileSync(join(dir, 'config.json'), text)
      expect(() => loadConfig(dir)).toThrow(ConfigError)
      expect(() => loadConfig(dir)).toThrow(reason)
    }
  })
})

describe('linnet.toml', () => {
  it('overrides config.toml, table by table, and is checked like it', () => {
    writeFileSync(
      join(dir, 'linnet.toml'),
      '[auth]\njwt_expiry = 60\nenable_singup = true\n[auth.email]\nmax_frequency = "env(LINNET_TEST_F)"\n',
    )
    const config = read('[auth]\njwt_expiry = 600\nenable_signup = false\n[studio]\nport = 1\n')
    expect(config.at('auth.jwt_expiry', 0)).toBe(60)
    expect(config.at('auth.enable_signup', true)).toBe(false)
    expect(config.warnings).toEqual([
      expect.stringContaining('studio.port'),
      `${join(dir, 'linnet.toml')}, line 3: unknown key auth.enable_singup (did you mean auth.enable_signup?).`,
      `${join(dir, 'linnet.toml')}, line 5: auth.email.max_frequency names the environment variable LINNET_TEST_F, which is not set.`,
    ])
    writeFileSync(join(dir, 'linnet.toml'), '[auth]\njwt_expiry = "soon"')
    expect(() => read('')).toThrow(/linnet\.toml, line 2: auth\.jwt_expiry must be a number/)
  })

  it("contains the keys that the official CLI does not know, and Linnet's config.toml none of them", () => {
    const ours = readFileSync(join(import.meta.dirname, '../../supabase/config.toml'), 'utf8')
    expect(ours).toContain('[realtime]')
    expect(ours).not.toMatch(/^(private_only|leaked_password_protection)\b/m)
  })
})

describe('linnet.toml of the data directory', () => {
  let dataDir = ''
  beforeEach(() => {
    dataDir = join(project, 'data')
    mkdirSync(dataDir)
  })
  const load = (toml: string): Config => {
    writeFileSync(join(dataDir, 'linnet.toml'), toml, { mode: 0o644 })
    return loadConfig(dir, dataDir)
  }

  it('overrides the files of the project, and environment variables override it', () => {
    writeFileSync(
      join(dir, 'config.toml'),
      '[auth]\njwt_expiry = 600\nenable_signup = false\n[api]\nmax_rows = 1\n',
    )
    vi.stubEnv('LINNET_API_MAX_ROWS', '25')
    vi.stubEnv('LINNET_AUTH_ADDITIONAL_REDIRECT_URLS', 'https://a.example, https://b.example')
    vi.stubEnv('LINNET_AUTH_EMAIL_ENABLE_CONFIRMATIONS', 'False')
    vi.stubEnv('LINNET_SERVER_PUBLIC_URL', '')
    const config = load(
      '[auth]\njwt_expiry = 60\n[api]\nmax_rows = 2\n[server]\npublic_url = "https://c.example"\n',
    )
    expect(config.at('auth.jwt_expiry', 0)).toBe(60)
    expect(config.at('auth.enable_signup', true)).toBe(false)
    expect(config.at('api.max_rows', 0)).toBe(25)
    expect(config.at('auth.additional_redirect_urls', [''])).toEqual([
      'https://a.example',
      'https://b.example',
    ])
    expect(config.at('auth.email.enable_confirmations', true)).toBe(false)
    expect(config.at('server.public_url', '')).toBe('https://c.example')
    expect(config.warnings).toEqual([])
    expect(
      ['auth.jwt_expiry', 'auth.enable_signup', 'api.max_rows', 'api.schemas'].map(config.sourceOf),
    ).toEqual([
      { file: join(dataDir, 'linnet.toml'), line: 2 },
      { file: join(dir, 'config.toml'), line: 3 },
      { variable: 'LINNET_API_MAX_ROWS' },
      null,
    ])
    expect(['auth.jwt_expiry', 'auth.enable_signup', 'api.max_rows'].map(config.isOfInstallation)).toEqual([
      true,
      false,
      true,
    ])
    expect(loadConfig(dir).at('api.max_rows', 0)).toBe(1)
  })

  it('is the source of errors, with the line', () => {
    expect(() => load('[server]\n\nport = "many"')).toThrow(
      `${join(dataDir, 'linnet.toml')}, line 3: server.port must be a number, not "many".`,
    )
    expect(() => load('[auth.email.smtp]\npass = ["secret"]')).toThrow(
      /line 2: auth\.email\.smtp\.pass must be a string\.$/,
    )
    vi.stubEnv('LINNET_SERVER_PORT', 'none')
    expect(() => load('')).toThrow(
      'environment variable LINNET_SERVER_PORT: server.port must be a number, not "none".',
    )
  })

  it('has warnings for unknown keys and unknown variables, which name the nearest', () => {
    vi.stubEnv('LINNET_SERVER_PROT', '1')
    vi.stubEnv('LINNET_TEMPLATE', 'x')
    expect(load('[serve]\nport = 1').warnings).toEqual([
      `${join(dataDir, 'linnet.toml')}, line 1: unknown key serve (did you mean server?).`,
      'The environment variable LINNET_SERVER_PROT is no setting of Linnet. Did you mean LINNET_SERVER_PORT?',
    ])
  })

  it('has a warning if every user can read a secret in it', () => {
    const toml = '[auth.email.smtp]\nhost = "a"\npass = "secret"\n'
    const { warnings } = load(toml)
    expect(warnings).toEqual([
      expect.stringContaining('line 3: every user of this machine can read auth.email.smtp.pass.'),
    ])
    expect(warnings[0]).not.toContain('"secret"')
    vi.stubEnv('LINNET_TEST_PASSWORD', 'secret')
    expect(load(toml.replace('"secret"', '"env(LINNET_TEST_PASSWORD)"')).warnings).toEqual([])
    chmodSync(dataDir, 0o700)
    expect(load(toml).warnings).toEqual([])
    chmodSync(dataDir, 0o755)
    chmodSync(join(dataDir, 'linnet.toml'), 0o640)
    expect(loadConfig(dir, dataDir).warnings).toEqual([])
  })

  it('has paths that are relative to it', () => {
    vi.stubEnv('LINNET_SERVER_TLS_KEY', 'key.pem')
    const config = load('[server]\ntls_cert = "cert.pem"\n')
    expect(config.resolveFile('server.tls_cert', 'cert.pem', dir)).toBe(join(dataDir, 'cert.pem'))
    expect(config.resolveFile('server.tls_key', 'key.pem', dir)).toBe(resolve('key.pem'))
    expect(config.resolveFile('api.tls.key_path', 'key.pem', dir)).toBe(join(dir, 'key.pem'))
    expect(config.resolveFile('server.tls_cert', '/etc/cert.pem', dir)).toBe('/etc/cert.pem')
  })
})

describe('environment variables', () => {
  it('have a name of their own for each key', () => {
    const paths = Object.entries(knownKeys).filter(
      ([path, key]) => key.unsupported === undefined && !path.includes('*'),
    )
    expect(keysByVariable.size).toBe(paths.length)
  })

  it('that the code reads are known', () => {
    const found = execFileSync(
      'git',
      [
        'grep',
        '-ohE',
        "env(\\.|\\[')LINNET_[A-Z_]+",
        '--',
        'backend',
        'tests',
        'bench',
        'bin',
        '*.config.ts',
      ],
      { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' },
    )
    const names = new Set(found.match(/LINNET_[A-Z_]+/g))
    expect(names).toContain('LINNET_TEMPLATE')
    const values = Object.fromEntries([...names].map((name) => [name, 'x']))
    expect(readEnvironmentKeys(values).warnings).toEqual([])
  })
})

describe('values', () => {
  it('are converted to the type of their key, like in the official CLI', () => {
    vi.stubEnv('LINNET_TEST_ROWS', '25')
    const config = read(`
[api]
max_rows = "env(LINNET_TEST_ROWS)"
schemas = "public, shop"
[auth]
enable_signup = "FALSE"
[storage]
file_size_limit = 1024
`)
    expect(config.at('api.max_rows', 1)).toBe(25)
    expect(config.at('api.schemas', [''])).toEqual(['public', 'shop'])
    expect(config.at('auth.enable_signup', true)).toBe(false)
    expect(config.at('storage.file_size_limit', '')).toBe('1024')
  })

  it.each(Object.entries(knownKeys).filter(([, { unsupported }]) => unsupported !== undefined))(
    'start the server although they have no effect: %s',
    (key, { type, defaults }) => {
      const samples = {
        string: '1m',
        number: 7,
        boolean: true,
        strings: ['a'],
        duration: '1m',
        size: '1MiB',
        any: 'a',
      }
      const parts = key.replaceAll('*', 'one').split('.')
      const [section, name] = [parts.slice(0, -1).join('.'), parts.at(-1)]
      for (const value of [samples[type], ...(defaults ?? [])]) {
        if (value === null || typeof value === 'object') continue
        const config = read(`[${section}]\n${name} = ${JSON.stringify(value)}`)
        expect(() => validateConfig(config, [])).not.toThrow()
      }
    },
  )

  it('expose public where the list of schemas is empty', () => {
    expect(exposedSchemas(read('[api]\nschemas = []'))).toEqual(['public'])
    expect(exposedSchemas(read('[api]\nschemas = ["shop"]'))).toEqual(['shop'])
  })

  it.each([
    ['[api]\nmax_rows = "many"', /config\.toml, line 2: api\.max_rows must be a number, not "many"/],
    ['[auth]\nenable_signup = "perhaps"', /auth\.enable_signup must be true or false, not "perhaps"\.$/],
    ['[auth]\nadditional_redirect_urls = [1]', /must be a list of strings/],
    ['auth = true', /auth must be a table, not true/],
    ['[auth.email]\nmax_frequency = 5', /must be a duration/],
    ['[api', /config\.toml can't be read/],
    [
      'api_url = https://a.example',
      /line 1, column 11: invalid value\. A text needs quotes, such as "text"\.$/,
    ],
    ['pass = "secret"\nbad line\n', /config\.toml can't be read: line 2, column \d+: [^\n]*$/],
  ])('that are invalid cause an error: %j', (toml, sentence) => {
    expect(() => read(toml)).toThrow(ConfigError)
    expect(() => read(toml)).toThrow(sentence)
  })

  it('of an unsupported key can have any type', () => {
    expect(read('[studio]\nport = "many"').warnings).toHaveLength(1)
  })

  it('can come from .env files of the supabase folder, then of the project', () => {
    vi.stubEnv('LINNET_TEST_A', 'process')
    writeFileSync(join(dir, '.env.local'), 'LINNET_TEST_A=file\nLINNET_TEST_B="local" # defined twice\n')
    writeFileSync(join(dir, '.env'), 'LINNET_TEST_B=general\nLINNET_TEST_C=general\n')
    writeFileSync(join(project, '.env'), 'LINNET_TEST_C=project\nLINNET_TEST_D=project\n')
    const names = ['A', 'B', 'C', 'D', 'E'].map((name) => `"env(LINNET_TEST_${name})"`)
    const config = read(`[auth]\nadditional_redirect_urls = [${names.join(', ')}]`)
    expect(config.at('auth.additional_redirect_urls', [''])).toEqual([
      'process',
      'local',
      'general',
      'project',
    ])
    expect(config.warnings).toEqual([
      `${join(dir, 'config.toml')}, line 2: auth.additional_redirect_urls names the environment variable LINNET_TEST_E, which is not set.`,
    ])
    expect(process.env).not.toHaveProperty('LINNET_TEST_B')
  })

  it('that are unset disable their provider, with a warning that names them', () => {
    const config = read(`
[auth.external.github]
enabled = true
client_id = "app"
secret = "env(LINNET_TEST_GITHUB)"
[auth.external.gitlab]
enabled = "env(LINNET_TEST_GITLAB)"
skip_nonce_check = "env(LINNET_TEST_CHECK)"
[auth.external.google]
enabled = true
client_id = "app"
secret = "s"
[auth.external.apple]
enabled = false
secret = "env(LINNET_TEST_APPLE)"
[auth.sms.twilio]
enabled = true
account_sid = "a"
message_service_sid = "b"
auth_token = "env(LINNET_TEST_TWILIO)"
[auth.email.smtp]
host = "env(LINNET_TEST_HOST)"
port = "env(LINNET_TEST_PORT)"
admin_email = "a@example.com"
[auth.third_party.firebase]
enabled = true
project_id = "env(LINNET_TEST_PROJECT)"
`)
    const { external, smtp, thirdParty } = readAuthSettings(config)
    const smsProvider = readSmsProviderSettings(createSettingsReader(config))
    const on = Object.entries(external.providers).filter(([, { enabled }]) => enabled)
    expect(on.map(([name]) => name)).toEqual(['google'])
    expect([smsProvider, smtp, thirdParty]).toEqual([null, null, null])
    const file = join(dir, 'config.toml')
    const tail = 'is disabled, as these environment variables are not set:'
    expect(config.warnings.filter((warning) => warning.includes('is disabled'))).toEqual([
      `${file}, line 2: auth.external.github ${tail} LINNET_TEST_GITHUB.`,
      `${file}, line 6: auth.external.gitlab ${tail} LINNET_TEST_GITLAB, LINNET_TEST_CHECK.`,
      `${file}, line 25: auth.third_party.firebase ${tail} LINNET_TEST_PROJECT.`,
      `${file}, line 16: auth.sms.twilio ${tail} LINNET_TEST_TWILIO.`,
      `${file}, line 21: auth.email.smtp ${tail} LINNET_TEST_HOST, LINNET_TEST_PORT.`,
    ])
  })

  it.each([
    ['secret = "env(LINNET_TEST_UNSET)"', 'provider = "turnstile"', 'true'],
    ['secret = "s"', 'provider = "env(LINNET_TEST_UNSET)"', 'true'],
    ['secret = "env(LINNET_TEST_UNSET)"', 'provider = "turnstile"', '"env(LINNET_TEST_UNSET)"'],
  ])('that are unset for a protection keep it enabled, and it refuses: %s %s %s', async (...lines) => {
    const [secret, provider, enabled] = lines
    const config = read(`[auth.captcha]\nenabled = ${enabled}\n${provider}\n${secret}
[auth.hook.send_email]
enabled = true
uri = "https://example.com/mail"
secrets = "env(LINNET_TEST_UNSET)"
[auth.hook.before_user_created]
enabled = "env(LINNET_TEST_UNSET)"
uri = "env(LINNET_TEST_UNSET)"
`)
    const { captcha, hooks } = readAuthSettings(config)
    await expect(createCaptcha(captcha!).check('token', '')).rejects.toMatchObject({ status: 500 })
    expect([hooks.send_email?.kind, hooks.before_user_created?.kind]).toEqual(['unset', 'unset'])
    expect(config.warnings).toEqual([
      expect.stringMatching(
        /line \d: auth\.captcha\.\w+ names the environment variable LINNET_TEST_UNSET, which is not set\.$/,
      ),
    ])
  })

  it('that are unset give other keys their defaults, and never admit more', () => {
    const unset = '"env(LINNET_TEST_UNSET)"'
    const config = read(`
[api]
port = ${unset}
schemas = ["public", ${unset}]
[api.tls]
enabled = ${unset}
cert_path = ${unset}
[storage]
file_size_limit = ${unset}
[realtime]
max_joins_per_second = ${unset}
[auth]
site_url = ${unset}
jwt_expiry = ${unset}
jwt_secret = ${unset}
signing_keys_path = ${unset}
enable_signup = ${unset}
password_requirements = ${unset}
[auth.email]
max_frequency = ${unset}
enable_confirmations = ${unset}
[auth.email.template.invite]
content_path = ${unset}
[auth.sms.test_otp]
4912345 = ${unset}
[functions.a]
verify_jwt = ${unset}
`)
    validateConfig(config, [])
    expect(signingKeysFile(config)).toBeNull()
    const settings = readAuthSettings(config)
    expect(config.at('auth.enable_signup', true)).toBe(false)
    expect(config.at('auth.email.enable_confirmations', false)).toBe(true)
    expect(config.at('functions.a.verify_jwt', true)).toBe(true)
    expect(config.at('api.schemas', [''])).toEqual(['public'])
    expect(JSON.stringify([settings, config.tree])).not.toContain('env(')
  })

  it('of a provider can come from linnet.toml if config.toml names an unset variable', () => {
    writeFileSync(join(dir, 'linnet.toml'), '[auth.external.github]\nsecret = "s"\n')
    const config = read(
      '[auth.external.github]\nenabled = true\nclient_id = "app"\nsecret = "env(LINNET_TEST_GITHUB)"\n',
    )
    expect(readAuthSettings(config).external.providers.github.enabled).toBe(true)
  })

  it('cause an error that contains nothing of an invalid .env file', () => {
    writeFileSync(join(project, '.env'), 'A=1\nsecret words\n')
    expect(() => read('')).toThrow(ConfigError)
    expect(() => read('')).toThrow(`${join(project, '.env')}: Line 2 is not NAME=value.`)
  })
})

describe('settings.json of the data directory', () => {
  const dataDir = (): string => join(project, 'data')
  const write = (settings: object | string, toml = ''): void => {
    mkdirSync(dataDir(), { recursive: true })
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
    writeFileSync(join(dataDir(), 'settings.json'), text, { mode: 0o600 })
    writeFileSync(join(dataDir(), 'linnet.toml'), toml, { mode: 0o600 })
  }

  it('overrides the project, and linnet.toml and the environment override it', () => {
    writeFileSync(join(dir, 'config.toml'), '[storage]\nfile_size_limit = "1MiB"\n[backup]\nkeep_days = 1\n')
    write(
      {
        'storage.file_size_limit': '2MiB',
        'backup.keep_days': 2,
        'backup.keep_weeks': 2,
        'backup.at': '02:00',
      },
      '[backup]\nkeep_weeks = 3\n',
    )
    vi.stubEnv('LINNET_BACKUP_AT', '04:00')
    const config = loadConfig(dir, dataDir())
    expect(config.tree).toMatchObject({
      storage: { file_size_limit: '2MiB' },
      backup: { keep_days: 2, keep_weeks: 3, at: '04:00' },
    })
    expect(config.sourceOf('backup.keep_days')).toEqual({
      file: join(dataDir(), 'settings.json'),
      line: null,
    })
    expect(config.isOfInstallation('backup.keep_days')).toBe(true)
  })

  it('does not combine its mail server with the password of another file', () => {
    const settings = {
      'auth.email.smtp.host': 'smtp.other.example',
      'auth.email.smtp.admin_email': 'a@other.example',
      'auth.external.google.client_id': 'stored',
    }
    const toml = '[auth.email.smtp]\nhost = "smtp.example"\nadmin_email = "a@x.example"\npass = "hunter2"\n'
    write(settings, toml)
    expect(readAuthSettings(loadConfig(dir, dataDir())).smtp).toMatchObject({ host: 'smtp.example' })
    writeFileSync(join(dir, 'config.toml'), toml)
    write(settings)
    expect(readAuthSettings(loadConfig(dir, dataDir())).smtp).toMatchObject({
      host: 'smtp.other.example',
      password: '',
    })
  })

  it('has its earlier content if a save was interrupted', () => {
    write({ 'backup.keep_days': 2 })
    writeFileSync(join(dataDir(), 'settings.json.new.0a1b2c3d'), '{"backup.keep_da')
    expect(loadConfig(dir, dataDir()).at('backup.keep_days', 7)).toBe(2)
  })

  it('does not read environment variables', () => {
    vi.stubEnv('A_SECRET', 'hunter2')
    write({ 'auth.email.smtp.sender_name': 'env(A_SECRET)' })
    expect(JSON.stringify(loadConfig(dir, dataDir()).tree)).not.toContain('hunter2')
  })

  it.each([['{"a": "hunter2"'], ['["hunter2"]'], ['{"auth.email.smtp.pass": ["hunter2"]}']])(
    'is refused without its text if it is invalid: %s',
    (text) => {
      write(text)
      expect(() => loadConfig(dir, dataDir())).toThrow(/settings\.json can't be read/)
      expect(() => loadConfig(dir, dataDir())).not.toThrow(/hunter2/)
    },
  )
})
