import { createProgressTable } from './fileProgress.ts'

/**
 * The tables of the Supabase CLI (its pkg/migration/history.go), so that data can be moved between hosted Supabase and
 * Linnet.
 */
export const createHistoryTables = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations
    (version text not null primary key, statements text[], name text);
  alter table supabase_migrations.schema_migrations
    add column if not exists statements text[], add column if not exists name text;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
  ${createProgressTable}`
