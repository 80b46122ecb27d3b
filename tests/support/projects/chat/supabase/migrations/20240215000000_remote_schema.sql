-- What the project had before it had migrations, in the form in which a dump writes it.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

COMMENT ON SCHEMA "public" IS 'standard public schema';

CREATE EXTENSION IF NOT EXISTS "pg_graphql" WITH SCHEMA "graphql";
CREATE EXTENSION IF NOT EXISTS "pg_stat_statements" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "pgcrypto" WITH SCHEMA "extensions";
CREATE EXTENSION IF NOT EXISTS "supabase_vault" WITH SCHEMA "vault";
CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA "extensions";

CREATE OR REPLACE FUNCTION "public"."shortcode"("name" "text") RETURNS "text"
    LANGUAGE "sql" IMMUTABLE
    SET "search_path" TO ''
    AS $$
  select ':' || lower(name) || ':'
$$;

ALTER FUNCTION "public"."shortcode"("name" "text") OWNER TO "postgres";

SET default_tablespace = '';

SET default_table_access_method = "heap";

CREATE TABLE IF NOT EXISTS "public"."emoji" (
    "id" bigint NOT NULL,
    "name" "text" NOT NULL,
    "aliases" "text"[] DEFAULT '{}'::"text"[] NOT NULL,
    "added_by" "uuid" DEFAULT "auth"."uid"(),
    CONSTRAINT "emoji_name_check" CHECK (("char_length"("name") > 1))
);

ALTER TABLE "public"."emoji" OWNER TO "postgres";

ALTER TABLE "public"."emoji" ALTER COLUMN "id" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME "public"."emoji_id_seq"
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY "public"."emoji"
    ADD CONSTRAINT "emoji_pkey" PRIMARY KEY ("id");

ALTER TABLE ONLY "public"."emoji"
    ADD CONSTRAINT "emoji_added_by_fkey" FOREIGN KEY ("added_by") REFERENCES "auth"."users"("id") ON DELETE SET NULL;

CREATE INDEX "emoji_name_idx" ON "public"."emoji" USING "btree" ("name");

CREATE POLICY "Enable read access for all users" ON "public"."emoji" FOR SELECT USING (true);

CREATE POLICY "own emoji" ON "public"."emoji" FOR INSERT TO "authenticated" WITH CHECK ((( SELECT "auth"."uid"() AS "uid") = "added_by"));

ALTER TABLE "public"."emoji" ENABLE ROW LEVEL SECURITY;

ALTER PUBLICATION "supabase_realtime" OWNER TO "postgres";

GRANT USAGE ON SCHEMA "public" TO "postgres";
GRANT USAGE ON SCHEMA "public" TO "anon";
GRANT USAGE ON SCHEMA "public" TO "authenticated";
GRANT USAGE ON SCHEMA "public" TO "service_role";

GRANT ALL ON FUNCTION "public"."shortcode"("name" "text") TO "anon";
GRANT ALL ON FUNCTION "public"."shortcode"("name" "text") TO "authenticated";

GRANT ALL ON TABLE "public"."emoji" TO "anon";
GRANT ALL ON TABLE "public"."emoji" TO "authenticated";
GRANT ALL ON TABLE "public"."emoji" TO "service_role";

RESET ALL;
